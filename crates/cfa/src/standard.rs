//! Functions that C, POSIX or glibc define and that have no exact model: what they return and write is arbitrary to
//! analyses, but no execution may rest on it, since the real function gives one value only, or one within a contract
//! that is not written down yet. Functions whose results come from outside the program (`getchar`, `read`, `time`) are not
//! listed once their contract is a model: then there is an environment for every result that the model gives.

use std::collections::HashSet;
use std::sync::OnceLock;

/// Strings that `scanf` reads hold no white space, which is not modelled.
pub const SCANNED_STRING: &str = "scanf of a string";

/// Whether `errno` tells of a result that is too small to be exact depends on the library's version.
pub const UNDERFLOW: &str = "errno after underflow";

/// Streams have no state for analyses: the model of this name says what it would be.
pub const STREAM_STATE: &str = "model_stream_state";

/// Only the first arguments of a program are known not to be null.
pub const FURTHER_ARGUMENTS: &str = "main's later arguments";

/// Which NaN a text names that is only known at run time.
pub const NAN_OF_TEXT: &str = "nan of a text";

/// After the name of a mathematical function whose results differ between libraries.
pub const OTHER_MACHINE: &str = " of a 32-bit program";

/// Whether the results of the function with this name are not evidence.
pub fn is_unmodelled(name: &str) -> bool {
    static TABLE: OnceLock<HashSet<&'static str>> = OnceLock::new();
    let table = TABLE.get_or_init(|| UNMODELLED.split_whitespace().collect());
    table.contains(name)
        || [SCANNED_STRING, UNDERFLOW, STREAM_STATE, FURTHER_ARGUMENTS, NAN_OF_TEXT].contains(&name)
        || name.ends_with(OTHER_MACHINE)
}

/// Whether a function without exact model may end the program, at once or later, or replace it by another one.
pub fn may_end(name: &str) -> bool {
    ENDING.split_whitespace().any(|one| one == name)
}

/// In alphabetical order.
const ENDING: &str = "
    alarm daemon execl execle execlp execv execve execveat execvp execvpe fexecve gsignal kill killpg prlimit raise
    setitimer setrlimit sigqueue syscall tgkill timer_settime ualarm";

/// Whether a function asks a clock or a generator of random numbers. What it gives is arbitrary, but not for ever: clocks go
/// on, and sooner or later a generator gives another number.
pub fn moves_on(name: &str) -> bool {
    MOVING.split_whitespace().any(|one| one == name)
}

/// In alphabetical order.
const MOVING: &str = "
    arc4random arc4random_buf arc4random_uniform clock clock_gettime drand48 erand48 ftime getentropy getrandom getrusage
    gettimeofday jrand48 lrand48 mrand48 nrand48 rand rand_r random random_r time times timespec_get";

/// All of them.
pub fn unmodelled() -> impl Iterator<Item = &'static str> {
    UNMODELLED.split_whitespace()
}

/// In alphabetical order.
const UNMODELLED: &str = "
    __builtin_frame_address __builtin_return_address a64l accept accept4 acct acoshl acosl adjtime alarm alphasort
    arc4random arc4random_buf arc4random_uniform asinhl asinl asprintf atan2l atanhl atanl basename bind bindresvport
    bindresvport6 brk c16rtomb c32rtomb c8rtomb cabsl cacos cacosf cacosh cacoshf cacoshl cacosl canonicalize
    canonicalize_file_name canonicalizef canonicalizel cargl casin casinf casinh casinhf casinhl casinl catan catanf
    catanh catanhf catanhl catanl catclose catgets catopen cbrtl ccos ccosf ccosh ccoshf ccoshl ccosl cexp cexpf cexpl
    cfgetispeed cfgetospeed cfmakeraw cfsetispeed cfsetospeed cfsetspeed chdir chmod chown chroot cimag cimagf cimagl
    clearenv clearerr_unlocked clock_adjtime clock_getcpuclockid clock_getres clock_nanosleep clock_settime clog
    clog10 clog10f clog10l clogf clogl close_range closedir closefrom closelog confstr conj conjf conjl connect coshl
    cosl cpow cpowf cpowl cprojl creal crealf creall crypt csin csinf csinh csinhf csinhl csinl csqrt csqrtf csqrtl
    ctan ctanf ctanh ctanhf ctanhl ctanl ctermid cuserid daddl daemon ddivl dfmal dirfd dirname dladdr dladdr1 dlclose
    dlerror dlinfo dlmopen dlopen dlsym dlvsym dmull dprintf drand48_r dsqrtl dsubl dup2 dup3 duplocale dysize eaccess
    ecvt ecvt_r endgrent endhostent endnetent endnetgrent endprotoent endpwent endrpcent endservent endusershell
    erand48 erand48_r erf erfc erfcf erfcl erff erfl err errx euidaccess execl execle execlp execv execve execveat
    execvp execvpe exp10 exp10f exp10l exp2l expl expm1l faccessat fadd faddl fallocate fchdir fchmod fchmodat fchown
    fchownat fcloseall fcntl fcvt fcvt_r fdatasync fdiv fdivl fdopendir feclearexcept fedisableexcept feenableexcept
    fegetenv fegetexcept fegetexceptflag fegetmode feholdexcept feof_unlocked feraiseexcept ferror_unlocked
    fesetexcept fesetexceptflag fetestexcept fetestexceptflag fexecve fflush_unlocked ffma ffmal fgetgrent fgetgrent_r
    fgetpos fgetpos64 fgetpwent fgetpwent_r fgets_unlocked fgetwc fgetwc_unlocked fgetws fgetws_unlocked
    fileno_unlocked fmal fmaximum fmaximum_mag fmaximum_mag_num fmaximum_mag_numf fmaximum_mag_numl fmaximum_magf
    fmaximum_magl fmaximum_num fmaximum_numf fmaximum_numl fmaximumf fmaximuml fmaxmag fmaxmagf fmaxmagl fmemopen
    fminimum fminimum_mag fminimum_mag_num fminimum_mag_numf fminimum_mag_numl fminimum_magf fminimum_magl
    fminimum_num fminimum_numf fminimum_numl fminimumf fminimuml fminmag fminmagf fminmagl fmul fmull fnmatch fopen64
    fopencookie fpathconf fputc_unlocked fputs_unlocked fputwc fputwc_unlocked fputws fputws_unlocked fread_unlocked
    freeaddrinfo freelocale freopen64 fromfp fromfpf fromfpl fromfpx fromfpxf fromfpxl fseeko fseeko64 fsetpos
    fsetpos64 fsqrt fsqrtl fstat fstatat fsub fsubl fsync ftello ftello64 ftruncate ftw futimens futimes futimesat
    fwide fwprintf fwrite_unlocked fwscanf gai_cancel gai_error gai_strerror gai_suspend gamma gammaf gammal gcvt
    get_current_dir_name getaddrinfo getaddrinfo_a getcpu getcwd getdate getdate_r getdirentries getdomainname
    getdtablesize getegid getentropy getgid getgrent getgrent_r getgrgid getgrgid_r getgrnam getgrnam_r getgrouplist
    getgroups gethostbyaddr gethostbyaddr_r gethostbyname gethostbyname2 gethostbyname2_r gethostbyname_r gethostent
    gethostent_r gethostid gethostname getipv4sourcefilter getitimer getloadavg getlogin getlogin_r getnameinfo
    getnetbyaddr getnetbyaddr_r getnetbyname getnetbyname_r getnetent getnetent_r getnetgrent getnetgrent_r
    getpagesize getpass getpayload getpayloadf getpayloadl getpeername getpgid getpgrp getpriority getprotobyname
    getprotobyname_r getprotobynumber getprotobynumber_r getprotoent getprotoent_r getpt getpw getpwent getpwent_r
    getpwnam getpwnam_r getpwuid getpwuid_r getrandom getresgid getresuid getrlimit getrpcbyname getrpcbyname_r
    getrpcbynumber getrpcbynumber_r getrpcent getrpcent_r getrusage getservbyname getservbyname_r getservbyport
    getservbyport_r getservent getservent_r getsid getsockname getsockopt getsourcefilter getsubopt gettid getumask
    getusershell getw getwc getwc_unlocked getwchar getwchar_unlocked getwd glob glob_pattern_p globfree grantpt
    group_member gsignal hcreate hcreate_r hdestroy hdestroy_r herror hsearch hsearch_r hstrerror hypotl iconv
    iconv_close iconv_open inet6_opt_append inet6_opt_find inet6_opt_finish inet6_opt_get_val inet6_opt_init
    inet6_opt_next inet6_opt_set_val inet6_option_alloc inet6_option_append inet6_option_find inet6_option_init
    inet6_option_next inet6_option_space inet6_rth_add inet6_rth_getaddr inet6_rth_init inet6_rth_reverse
    inet6_rth_segments inet6_rth_space inet_addr inet_aton inet_lnaof inet_makeaddr inet_net_ntop inet_net_pton
    inet_neta inet_netof inet_network inet_nsap_addr inet_nsap_ntoa inet_ntoa inet_ntop inet_pton initgroups initstate
    initstate_r innetgr insque ioctl iruserok iruserok_af isctype isfdtype iswctype j0 j0f j0l j1 j1f j1l jn jnf jnl
    jrand48 jrand48_r kill killpg l64a lchmod lchown lcong48 lcong48_r lgamma lgamma_r lgammaf lgammaf_r lgammal
    lgammal_r link linkat listen llogb llogbf llogbl lockf log10l log1pl log2l logl lrand48_r lsearch lseek lstat
    lutimes madvise mallinfo mallinfo2 malloc_info malloc_stats malloc_trim malloc_usable_size mallopt mblen mbrlen
    mbrtoc16 mbrtoc32 mbrtoc8 mbrtowc mbsinit mbsnrtowcs mbsrtowcs mbstowcs mbtowc memfrob mincore mkdir mkdirat
    mkdtemp mkfifo mkfifoat mknod mknodat mkostemp mkostemp64 mkostemps mkostemps64 mkstemp mkstemp64 mkstemps
    mkstemps64 mktemp mlock mlockall mmap mprotect mrand48_r mremap msync munlock munlockall munmap name_to_handle_at
    newlocale nextdownl nextupl nftw nice nl_langinfo nrand48 nrand48_r obstack_printf obstack_vprintf
    open_by_handle_at open_memstream open_wmemstream openat opendir openlog pathconf pause pclose pipe pipe2 poll
    posix_fadvise posix_fallocate posix_madvise posix_openpt powl ppoll pread preadv preadv2 preadv64v2 prlimit
    process_madvise process_mrelease process_vm_readv process_vm_writev profil pselect psiginfo psignal ptsname
    ptsname_r putc_unlocked putchar_unlocked putgrent putpwent putw putwc putwc_unlocked putwchar putwchar_unlocked
    pwrite pwritev pwritev2 pwritev64v2 qecvt qecvt_r qfcvt qfcvt_r qgcvt qsort_r raise random_r rcmd rcmd_af
    re_compile_fastmap re_compile_pattern re_match re_match_2 re_search re_search_2 re_set_registers re_set_syntax
    readahead readdir readdir64_r readdir_r readlink readlinkat readv realpath recv recvfrom recvmmsg recvmsg regcomp
    regerror regexec regfree remap_file_pages remque renameat renameat2 revoke rewinddir rexec rexec_af rmdir rpmatch
    rresvport rresvport_af ruserok ruserok_af sbrk scalb scalbf scalbl scandir scandirat sched_get_priority_max
    sched_get_priority_min sched_getaffinity sched_getcpu sched_getparam sched_getscheduler sched_rr_get_interval
    sched_setaffinity sched_setparam sched_setscheduler sched_yield seed48 seed48_r seekdir select sem_clockwait
    sem_close sem_destroy sem_getvalue sem_init sem_open sem_post sem_timedwait sem_trywait sem_unlink sem_wait send
    sendmmsg sendmsg sendto setdomainname setegid seteuid setgid setgrent setgroups sethostent sethostid sethostname
    setipv4sourcefilter setitimer setlogin setlogmask setnetent setnetgrent setns setpayload setpayloadf setpayloadl
    setpayloadsig setpayloadsigf setpayloadsigl setpgid setpgrp setpriority setprotoent setpwent setregid setresgid
    setresuid setreuid setrlimit setrpcent setservent setsid setsockopt setsourcefilter setstate setstate_r
    settimeofday setuid setusershell shm_open shm_unlink shutdown sigabbrev_np sigaltstack sigandset sigblock
    sigdescr_np siggetmask sighold sigignore siginterrupt sigisemptyset significand significandf significandl sigorset
    sigpause sigpending sigprocmask sigqueue sigrelse sigreturn sigset sigsetmask sigstack sigsuspend sigtimedwait
    sigwait sigwaitinfo sincosl sinhl sinl sockatmark socket socketpair splice srand48_r srandom_r ssignal stat
    strerrordesc_np strerrorname_np strfromd strfromf strfroml strfry strptime strverscmp swprintf swscanf symlink
    symlinkat sync sync_file_range syncfs syscall sysconf syslog sysv_signal tanhl tanl tcdrain tcflow tcflush
    tcgetattr tcgetpgrp tcgetsid tcsendbreak tcsetattr tcsetpgrp tdelete tdestroy tee telldir tempnam tfind tgamma
    tgammaf tgammal tgkill timer_create timer_delete timer_getoverrun timer_gettime timer_settime times
    timespec_getres tmpfile64 tmpnam tmpnam_r totalorder totalorderf totalorderl totalordermag totalordermagf
    totalordermagl towctrans truncate tsearch ttyname ttyname_r ttyslot twalk twalk_r ualarm ufromfp ufromfpf ufromfpl
    ufromfpx ufromfpxf ufromfpxl umask uname ungetwc unlinkat unlockpt unshare uselocale utime utimensat utimes
    vasprintf vdprintf verr verrx versionsort vfwprintf vfwscanf vhangup vmsplice vsscanf vswprintf vswscanf vsyslog
    vwarn vwarnx vwprintf vwscanf wait wait3 wait4 waitid waitpid warn warnx wcrtomb wcschrnul wcsftime wcsnrtombs
    wcsrtombs wcstod wcstof wcstoimax wcstold wcstombs wcstoq wcstoumax wcstouq wcswcs wcswidth wcsxfrm wctomb wctrans
    wctype wcwidth wprintf writev wscanf y0 y0f y0l y1 y1f y1l yn ynf ynl";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_says_what_is_not_modelled() {
        let names: Vec<&str> = UNMODELLED.split_whitespace().collect();
        assert!(names.is_sorted());
        assert!(is_unmodelled("strptime") && is_unmodelled("tgamma") && is_unmodelled("mbstowcs"));
        assert!(!is_unmodelled("strtol") && !is_unmodelled("getchar") && !is_unmodelled("my_function"));
    }
}
