//! Facts on their way from a thread that looks for them to the step case, which may be asking a long question meanwhile.

use crate::facts::Facts;
use base::Cancel;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many questions are given up for new facts: some are only answered if they may take their time.
const MOST_INTERRUPTIONS: usize = 8;

/// Facts that were found and not yet fetched.
#[derive(Default)]
pub(crate) struct Mailbox {
    mail: Mutex<Mail>,
    arrived: Condvar,
}

#[derive(Default)]
struct Mail {
    facts: Vec<Facts>,
    /// No more facts will come.
    is_closed: bool,
    /// The limits of the question that is being asked.
    asking: Option<Cancel>,
    interruptions: usize,
}

impl Mailbox {
    fn mail(&self) -> MutexGuard<'_, Mail> {
        self.mail.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves facts, and interrupts the question that is being asked.
    pub fn deliver(&self, facts: Facts) {
        let mut mail = self.mail();
        assert!(!mail.is_closed, "no facts come after the last ones");
        mail.facts.push(facts);
        if let Some(question) = mail.asking.take() {
            question.stop();
            mail.interruptions += 1;
        }
        self.arrived.notify_all();
    }

    /// There will be no more facts.
    pub fn close(&self) {
        self.mail().is_closed = true;
        self.arrived.notify_all();
    }

    /// What is there; the last question is answered.
    pub fn fetch(&self) -> Vec<Facts> {
        let mut mail = self.mail();
        mail.asking = None;
        std::mem::take(&mut mail.facts)
    }

    /// What is there or arrives in that time.
    pub fn wait(&self, patience: Duration) -> Vec<Facts> {
        let empty = |mail: &mut Mail| mail.facts.is_empty() && !mail.is_closed;
        let waited = self.arrived.wait_timeout_while(self.mail(), patience, empty);
        let (mut mail, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut mail.facts)
    }

    /// Limits for a question, within `cancel`, that also end when facts arrive.
    pub fn until_arrival(&self, cancel: &Cancel) -> Cancel {
        let mut mail = self.mail();
        assert!(mail.asking.is_none(), "one question is asked at a time");
        let limits = cancel.child(None);
        if mail.interruptions < MOST_INTERRUPTIONS {
            if !mail.facts.is_empty() {
                limits.stop();
            }
            mail.asking = Some(limits.clone());
        }
        limits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Facts {
        Facts { exprs: lower::testing::prepared("int main() { return 0; }").exprs.clone(), facts: Vec::new() }
    }

    #[test]
    fn arrivals_interrupt_questions_but_not_for_ever() {
        let (mailbox, cancel) = (Mailbox::default(), Cancel::never());
        for round in 0..=MOST_INTERRUPTIONS {
            let question = mailbox.until_arrival(&cancel);
            assert!(!question.is_stopped());
            mailbox.deliver(facts());
            assert_eq!(question.is_stopped(), round < MOST_INTERRUPTIONS);
            assert_eq!(mailbox.fetch().len(), 1);
        }
        assert!(!cancel.is_stopped());
    }

    #[test]
    fn waiting_ends_with_facts_or_when_none_will_come() {
        let mailbox = Mailbox::default();
        mailbox.deliver(facts());
        assert_eq!(mailbox.wait(Duration::from_secs(600)).len(), 1);
        mailbox.close();
        assert!(mailbox.wait(Duration::from_secs(600)).is_empty());
    }
}
