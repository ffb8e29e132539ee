//! The laws of the abstract domains, checked exhaustively on small sets of values: the order is inclusion of what states
//! stand for, join, meet and widening are where they must be, and no operation loses an execution. The oracle is the one
//! evaluator of `semantics`; what a state stands for is read from the formula that it exports.

use analysis::dataflow::FlowDomain;
use analysis::sets::SetDomain;
use analysis::{Cpa, Export, Move, Place, Stacks, Step};
use base::Cancel;
use cfa::{EdgeId, Expr, ExprId, Exprs, Node, Op, Scalar, VarId};
use domains::affine::AffineDomain;
use domains::bdd::{BddDomain, Fit};
use domains::interval::IntervalDomain;
use domains::octagon::OctagonDomain;
use domains::value::{Options, Precision, ValueAnalysis};
use flow::{PointsTo, Prepared};
use semantics::scalar;
use std::collections::HashMap;

/// Every kind of operator on registers, conditions of every kind.
const PROGRAM: &str = "
extern int nondet(void);
int main(void) {
    int a = nondet(); int b = nondet(); int r = 0;
    if (a == 1) r = 1;
    if (a != b) r = 2;
    if (b < 2) r = a;
    if (a <= b) r = -b;
    if (a >= 0 && b >= 0) r = a + b;
    if (a == 3 || b == 3) r = a - b;
    if (!(r == 2)) r = a * 2 + 1;
    if (a % 2 == 0) r = b % 3;
    if (r > -2) r = a / 2;
    if ((unsigned)a < 3u) r = a & 3;
    if (a + b == 2) r = a ^ b;
    if (r == a) r = ~a;
    if (r != a + 1) r = r + 1;
    if ((a & 1) == 1) r = (signed char)(b * 100);
    if ((a < b) == (b < 2)) r = a < b ? a : b;
    r = a << 1; r = b >> 1; r = a | b; a = b; b = a + 4; a = 2; b = a * b; r = !a; r = a == 1;
    return a + b + r;
}";

const VALUES: [i32; 6] = [i32::MIN, -1, 0, 1, 3, i32::MAX];

/// The registers `a`, `b` and `r`.
type Env = [i32; 3];

struct Subject {
    program: Prepared,
    vars: [VarId; 3],
    /// The assignments and conditions of `main` on these registers alone.
    edges: Vec<EdgeId>,
    envs: Vec<Env>,
    positions: HashMap<Env, usize>,
}

impl Subject {
    fn new() -> Subject {
        let program = driver::load_text("test.c", PROGRAM).expect("a correct program");
        let main = program.function_named("main").expect("main");
        let named = |name: &str| {
            let locals = program.functions[main].locals.iter().copied();
            locals.clone().find(|var| program.var_name(*var) == name).expect("a local")
        };
        let vars = ["a", "b", "r"].map(named);
        let known = |root: ExprId| {
            let mut all = true;
            program.exprs.visit(root, |_, expr| all &= !matches!(expr, Expr::Var(var) if !vars.contains(&var)));
            all
        };
        let usable = program.edges.iter().filter(|(_, edge)| {
            program.nodes[edge.from].function == main
                && match edge.op {
                    Op::Assign(var, value) => vars.contains(&var) && known(value),
                    Op::Assume(condition) => known(condition),
                    _ => false,
                }
        });
        let edges: Vec<EdgeId> = usable.map(|(id, _)| id).collect();
        assert!(edges.len() > 50, "{}", edges.len());
        let mut envs = Vec::new();
        for a in VALUES {
            for b in VALUES {
                envs.extend(VALUES.map(|r| [a, b, r]));
            }
        }
        let positions = envs.iter().enumerate().map(|(at, env)| (*env, at)).collect();
        Subject { program, vars, edges, envs, positions }
    }

    /// A step along an edge of the function that is called once.
    fn step(&self, edge: EdgeId) -> Step {
        let place = |node| Place { node, stack: Stacks::EMPTY };
        let edge_info = &self.program.edges[edge];
        let (from, to) = (place(edge_info.from), place(edge_info.to));
        Step { kind: Move::Edge, edge, from, to, from_depth: 0, to_depth: 0 }
    }

    /// The bits of an expression for each of some values of the registers; `None` where they are arbitrary.
    fn eval(&self, exprs: &Exprs, root: ExprId, envs: &[Env]) -> Vec<Option<u128>> {
        let model = exprs.model();
        let mut order: Vec<(ExprId, Expr)> = Vec::new();
        exprs.visit(root, |id, expr| order.push((id, expr)));
        let places: HashMap<ExprId, usize> = order.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
        let mut values: Vec<Option<u128>> = vec![None; order.len()];
        let mut results = Vec::with_capacity(envs.len());
        for env in envs {
            for (at, &(id, expr)) in order.iter().enumerate() {
                let of = |id: ExprId| values[places[&id]];
                values[at] = match expr {
                    Expr::Const { .. } => exprs.constant(id),
                    Expr::Var(var) => self.vars.iter().position(|own| *own == var).map(|at| u128::from(env[at] as u32)),
                    Expr::Unary(op, a) => of(a).and_then(|x| scalar::unary(model, op, exprs.ty(a), x)),
                    Expr::Binary(op, a, b) => {
                        of(a).zip(of(b)).and_then(|(x, y)| scalar::binary(model, op, exprs.ty(a), exprs.ty(b), x, y))
                    }
                    Expr::Cast(a) => of(a).and_then(|x| scalar::cast(model, exprs.ty(a), exprs.ty(id), x)),
                    Expr::Ite(c, a, b) => of(c).and_then(|c| if c != 0 { of(a) } else { of(b) }),
                    Expr::Load(_) | Expr::Addr(_) | Expr::Function(_) | Expr::Living(_) => None,
                };
            }
            results.push(values[values.len() - 1]);
        }
        results
    }

    /// What executions along an edge do with each of the values; `None` where they do not take it, or end outside.
    fn runs(&self, edge: EdgeId) -> Vec<Option<usize>> {
        let exprs = &self.program.exprs;
        match self.program.edges[edge].op {
            Op::Assume(condition) => {
                let holds = self.eval(exprs, condition, &self.envs);
                holds.iter().enumerate().map(|(at, bits)| bits.filter(|bits| *bits != 0).map(|_| at)).collect()
            }
            Op::Assign(var, value) => {
                let at = self.vars.iter().position(|own| *own == var).expect("usable edges only");
                let run = |(env, bits): (&Env, Option<u128>)| {
                    let mut after = *env;
                    after[at] = bits? as u32 as i32;
                    self.positions.get(&after).copied()
                };
                self.envs.iter().zip(self.eval(exprs, value, &self.envs)).map(run).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The values for which a formula is true; a part that the registers do not decide counts as true.
    fn models(&self, exprs: &Exprs, formula: ExprId) -> Vec<bool> {
        assert_eq!(exprs.ty(formula), Scalar::Bool);
        self.eval(exprs, formula, &self.envs).into_iter().map(|bits| bits.is_none_or(|bits| bits != 0)).collect()
    }
}

/// A domain as the laws see it.
trait Domain {
    type State: Clone;
    fn top(&mut self) -> Self::State;
    fn post(&mut self, state: &Self::State, edge: EdgeId) -> Vec<Self::State>;
    fn gamma(&mut self, state: &Self::State, at: Node) -> Vec<bool>;
    fn leq(&mut self, a: &Self::State, b: &Self::State) -> bool;
    /// Upper bounds: join, widening.
    fn above(&mut self, _a: &Self::State, _b: &Self::State) -> Vec<Self::State> {
        Vec::new()
    }
    /// Contains what both have in common; `None` if that is nothing.
    fn meet(&mut self, _a: &Self::State, _b: &Self::State) -> Option<Option<Self::State>> {
        None
    }
}

fn included(a: &[bool], b: &[bool]) -> bool {
    a.iter().zip(b).all(|(a, b)| !a || *b)
}

/// Checks all laws on the states that two rounds of edges make from the top, at most so many.
fn check<D: Domain>(subject: &Subject, domain: &mut D, most: usize) {
    let at = subject.program.edges[subject.edges[0]].from;
    let top = domain.top();
    let all = domain.gamma(&top, at);
    assert!(all.iter().all(|inside| *inside), "the top leaves something out");
    let runs: Vec<Vec<Option<usize>>> = subject.edges.iter().map(|edge| subject.runs(*edge)).collect();
    let mut states: Vec<(D::State, Vec<bool>)> = vec![(top, all)];
    let mut next = 0;
    while next < states.len() {
        let (state, inside) = states[next].clone();
        next += 1;
        for (&edge, runs) in subject.edges.iter().zip(&runs) {
            let successors = domain.post(&state, edge);
            let after: Vec<Vec<bool>> = successors.iter().map(|successor| domain.gamma(successor, at)).collect();
            for (from, to) in runs.iter().enumerate().filter(|(from, _)| inside[*from]) {
                let Some(to) = *to else { continue };
                let (text, envs) = (subject.program.edge_text(edge), &subject.envs);
                assert!(after.iter().any(|after| after[to]), "{text} loses {:?} -> {:?}", envs[from], envs[to]);
            }
            for (successor, models) in successors.into_iter().zip(after) {
                if states.len() < most && !states.iter().any(|(_, known)| *known == models) {
                    states.push((successor, models));
                }
            }
        }
    }
    assert!(states.len() >= 20, "only {} states", states.len());
    let order: Vec<Vec<bool>> =
        states.iter().map(|(a, _)| states.iter().map(|(b, _)| domain.leq(a, b)).collect()).collect();
    for (i, (a, in_a)) in states.iter().enumerate() {
        assert!(order[i][i], "the order is not reflexive");
        for (j, (b, in_b)) in states.iter().enumerate() {
            assert!(!order[i][j] || included(in_a, in_b), "below, but not inside");
            assert!(!order[i][j] || (0..states.len()).all(|k| !order[j][k] || order[i][k]), "not transitive");
            for above in domain.above(a, b) {
                let models = domain.gamma(&above, at);
                assert!(included(in_a, &models) && included(in_b, &models), "an upper bound is not above");
                assert!(domain.leq(a, &above) && domain.leq(b, &above), "an upper bound is not above in the order");
            }
            if let Some(met) = domain.meet(a, b) {
                let models = met.map_or(vec![false; subject.envs.len()], |met| domain.gamma(&met, at));
                let common: Vec<bool> = in_a.iter().zip(in_b).map(|(a, b)| *a && *b).collect();
                assert!(included(&common, &models), "a meet loses what both have");
            }
        }
    }
}

struct Flow<'s, D> {
    subject: &'s Subject,
    domain: D,
}

impl<D: FlowDomain> Domain for Flow<'_, D> {
    type State = D::State;

    /// Where `main` begins.
    fn top(&mut self) -> D::State {
        let program = &self.subject.program;
        let starts = |from: Node| program.nodes[from].function == program.entry;
        let mut calls =
            program.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Call { .. }) && starts(edge.from));
        self.domain.enter(&self.domain.initial(), calls.next().expect("the call of main").0)
    }

    fn post(&mut self, state: &D::State, edge: EdgeId) -> Vec<D::State> {
        self.domain.post(state, edge).into_iter().collect()
    }

    fn gamma(&mut self, state: &D::State, _at: Node) -> Vec<bool> {
        let mut exprs = self.subject.program.exprs.clone();
        let formula = self.domain.invariant(state, &mut exprs);
        self.subject.models(&exprs, formula)
    }

    fn leq(&mut self, a: &D::State, b: &D::State) -> bool {
        self.domain.leq(a, b)
    }

    fn above(&mut self, a: &D::State, b: &D::State) -> Vec<D::State> {
        vec![self.domain.join(a, b), self.domain.widen(a, &self.domain.join(a, b))]
    }

    fn meet(&mut self, a: &D::State, b: &D::State) -> Option<Option<D::State>> {
        Some(self.domain.meet(a, b))
    }
}

#[test]
fn intervals() {
    let subject = Subject::new();
    check(&subject, &mut Flow { subject: &subject, domain: IntervalDomain::new(&subject.program) }, 40);
}

#[test]
fn octagons() {
    let subject = Subject::new();
    let domain = OctagonDomain::new(&subject.program, &Cancel::never()).expect("it is never stopped");
    check(&subject, &mut Flow { subject: &subject, domain }, 40);
}

#[test]
fn affine_equalities() {
    let subject = Subject::new();
    check(&subject, &mut Flow { subject: &subject, domain: AffineDomain::new(&subject.program) }, 40);
}

struct Values<'s> {
    subject: &'s Subject,
    cpa: ValueAnalysis<'s>,
}

impl Domain for Values<'_> {
    type State = domains::value::State;

    fn top(&mut self) -> Self::State {
        self.cpa.initial()
    }

    fn post(&mut self, state: &Self::State, edge: EdgeId) -> Vec<Self::State> {
        let mut next = Vec::new();
        self.cpa.post(state, &self.subject.step(edge), &Precision::all(), &mut next).expect("supported");
        next
    }

    fn gamma(&mut self, state: &Self::State, at: Node) -> Vec<bool> {
        let mut exprs = self.subject.program.exprs.clone();
        let formula = self.cpa.formula(state, at, 0, &mut exprs);
        self.subject.models(&exprs, formula)
    }

    fn leq(&mut self, a: &Self::State, b: &Self::State) -> bool {
        self.cpa.covers(b, a).expect("no limits")
    }
}

#[test]
fn values() {
    let subject = Subject::new();
    let points_to = PointsTo::new(&subject.program);
    let options = Options { live_only: false, ..Options::default() };
    let cpa = ValueAnalysis::new(&subject.program, &points_to, options);
    check(&subject, &mut Values { subject: &subject, cpa }, 60);
}

struct Diagrams<'s> {
    subject: &'s Subject,
    domain: BddDomain<'s>,
}

impl Domain for Diagrams<'_> {
    type State = <BddDomain<'static> as SetDomain>::Set;

    fn top(&mut self) -> Self::State {
        self.domain.initial()
    }

    fn post(&mut self, state: &Self::State, edge: EdgeId) -> Vec<Self::State> {
        let step = self.subject.step(edge);
        let image = self.domain.post(&self.subject.program, &[step], state, &mut |_| None).expect("room");
        vec![image]
    }

    fn gamma(&mut self, state: &Self::State, at: Node) -> Vec<bool> {
        let mut exprs = self.subject.program.exprs.clone();
        let formula = self.domain.invariant(&self.subject.program, &mut exprs, state, at).expect("room");
        self.subject.models(&exprs, formula)
    }

    fn leq(&mut self, a: &Self::State, b: &Self::State) -> bool {
        self.domain.is_empty(&self.domain.minus(a, b).expect("room"))
    }

    fn above(&mut self, a: &Self::State, b: &Self::State) -> Vec<Self::State> {
        vec![self.domain.join(a, b).expect("room")]
    }

    fn meet(&mut self, a: &Self::State, b: &Self::State) -> Option<Option<Self::State>> {
        Some(Some(self.domain.meet(a, b).expect("room")))
    }
}

#[test]
fn diagrams() {
    let subject = Subject::new();
    let domain = BddDomain::new(&subject.program, Fit::Classes, 1 << 18, &Cancel::never()).expect("room");
    check(&subject, &mut Diagrams { subject: &subject, domain }, 24);
}

/// Union, intersection and difference of diagrams are those of the sets; images and preimages belong together; a split
/// is a partition by value; an element is inside.
#[test]
fn diagrams_are_sets() {
    let subject = Subject::new();
    let program = &subject.program;
    let at = program.edges[subject.edges[0]].from;
    let domain = BddDomain::new(program, Fit::Classes, 1 << 18, &Cancel::never()).expect("room");
    let mut diagrams = Diagrams { subject: &subject, domain };
    let mut sets = vec![diagrams.top()];
    for &edge in &subject.edges {
        for from in [0, sets.len() / 2] {
            let image = diagrams.post(&sets[from], edge).remove(0);
            if !sets.contains(&image) {
                sets.push(image);
            }
        }
    }
    sets.truncate(14);
    let models: Vec<Vec<bool>> = sets.iter().map(|set| diagrams.gamma(set, at)).collect();
    let merge = |a: &[bool], b: &[bool], op: fn(bool, bool) -> bool| -> Vec<bool> {
        a.iter().zip(b).map(|(a, b)| op(*a, *b)).collect()
    };
    for (a, in_a) in sets.iter().zip(&models) {
        for (b, in_b) in sets.iter().zip(&models) {
            let union = diagrams.domain.join(a, b).expect("room");
            let common = diagrams.domain.meet(a, b).expect("room");
            let rest = diagrams.domain.minus(a, b).expect("room");
            assert_eq!(diagrams.gamma(&union, at), merge(in_a, in_b, |a, b| a || b));
            assert_eq!(diagrams.gamma(&common, at), merge(in_a, in_b, |a, b| a && b));
            assert_eq!(diagrams.gamma(&rest, at), merge(in_a, in_b, |a, b| a && !b));
        }
        if !diagrams.domain.is_empty(a) {
            let element = diagrams.domain.pick(a).expect("room");
            assert!(!diagrams.domain.is_empty(&element) && diagrams.leq(&element, a));
        }
        let tracked: Vec<VarId> = subject.vars.into_iter().filter(|var| diagrams.domain.tracks(*var)).collect();
        assert!(!tracked.is_empty());
        for var in tracked {
            let parts = diagrams.domain.split(a, var).expect("room");
            let mut seen = vec![false; subject.envs.len()];
            for (part, value) in &parts {
                let inside = diagrams.gamma(part, at);
                let place = subject.vars.iter().position(|own| *own == var).expect("one of them");
                let fits = |env: &Env| value.is_none_or(|bits| bits == u128::from(env[place] as u32));
                assert!(subject.envs.iter().zip(&inside).all(|(env, inside)| !inside || fits(env)));
                assert!(seen.iter().zip(&inside).all(|(seen, inside)| !(*seen && *inside)), "parts overlap");
                seen = merge(&seen, &inside, |a, b| a || b);
            }
            assert_eq!(&seen, in_a);
        }
    }
    for &edge in &subject.edges {
        let step = subject.step(edge);
        for (a, b) in sets.iter().zip(sets.iter().rev()) {
            let image = diagrams.domain.post(program, &[step], a, &mut |_| None).expect("room");
            let before = diagrams.domain.pre(program, std::slice::from_ref(&step), b, &mut |_| None).expect("room");
            let (after, from) =
                (diagrams.domain.meet(&image, b).expect("room"), diagrams.domain.meet(a, &before).expect("room"));
            let (there, here) = (diagrams.domain.is_empty(&after), diagrams.domain.is_empty(&from));
            assert_eq!(there, here, "image and preimage disagree along {}", program.edge_text(edge));
        }
    }
}
