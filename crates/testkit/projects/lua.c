/* Lua computes primes, sorts, formats, and goes through errors and coroutines. */
#include <stdio.h>
#include "lua.h"
#include "lauxlib.h"
#include "lualib.h"
static const char *script =
"local function primes(n) local s, r = {}, {} for i = 2, n do if not s[i] then r[#r+1] = i for j = i*i, n, i do s[j] = true end end end return r end\n"
"local p = primes(200)\n"
"print(#p, table.concat(p, ' '))\n"
"local t = {5, 3, 9, 1, 7, 8, 2}\n"
"table.sort(t, function(a, b) return a > b end)\n"
"print(table.concat(t, ','))\n"
"local w = {} for s in string.gmatch('the quick brown fox jumps over the lazy dog', '%a+') do w[#w+1] = s end\n"
"table.sort(w) print(table.concat(w, ' '))\n"
"print(string.format('%5d|%-8s|%08.3f|%x|%q|%g|%s', 42, 'abc', 3.14159, 255, 'a\\nb', 1e100, 10/2))\n"
"print(select(2, pcall(function() error({code = 7}) end)).code)\n"
"local ok, e = pcall(function() local x = nil; return x.y end) print(ok, e)\n"
"local co = coroutine.wrap(function() for i = 1, 3 do coroutine.yield(i * i) end end)\n"
"print(co(), co(), co())\n"
"print(string.rep('ab', 3), ('x'):byte(), math.floor(3.7), 7 // 2, 7 % 3, 2^10, 1/3)\n"
"print(select('#', 1, nil, nil), tostring(nil), tonumber('0x1p4'), math.maxinteger)\n";
int main(void) {
  lua_State *L = luaL_newstate();
  luaL_openlibs(L);
  if (luaL_dostring(L, script)) { printf("error: %s\n", lua_tostring(L, -1)); return 1; }
  lua_close(L);
  return 0;
}
