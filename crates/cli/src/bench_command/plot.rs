//! Quantile plots in one self-contained page: how many correct answers each preset gives within how much processor
//! time. The picture is SVG without scripts; colours follow the reader's scheme.

use super::results::{Judgement, Row};
use base::markup;
use std::fmt::Write;

const STYLE: &str = include_str!("bench.css");
const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// Room for labels: left, bottom, and around.
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 44.0;
const EDGE: f64 = 14.0;
/// Shorter times are not told apart.
const LEAST: f64 = 0.01;

/// The page with plots and the table.
pub fn page(title: &str, presets: &[String], rows: &[Row], lines: &[[String; 10]]) -> String {
    let mut out = String::from("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width\">\n";
    let title = markup(title);
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n";
    write!(out, "<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n").expect(TEXT);
    let mut categories: Vec<&str> = rows.iter().map(|row| row.category.as_str()).collect();
    categories.sort_unstable();
    categories.dedup();
    let all: Vec<&Row> = rows.iter().collect();
    write!(out, "<h2>All tasks</h2>\n{}", plot(&of_presets(presets, &all))).expect(TEXT);
    write!(out, "<h2>Table</h2>\n{}", table(lines)).expect(TEXT);
    if categories.len() > 1 {
        for category in categories {
            let own: Vec<&Row> = rows.iter().filter(|row| row.category == category).collect();
            let name = markup(category);
            write!(out, "<details><summary>{name}</summary>\n{}</details>\n", plot(&of_presets(presets, &own)))
                .expect(TEXT);
        }
    }
    write!(out, "<details><summary>All {} runs</summary>\n{}</details>\n", rows.len(), runs(rows)).expect(TEXT);
    writeln!(out, "<footer>Argonaut {}</footer>\n</body>\n</html>", env!("CARGO_PKG_VERSION")).expect(TEXT);
    out
}

const TEXT: &str = "strings take all text";

fn table(lines: &[[String; 10]]) -> String {
    let cell = |tag: &str, cells: &[String]| -> String {
        cells.iter().map(|cell| format!("<{tag}>{}</{tag}>", markup(cell))).collect()
    };
    let mut out = format!("<table>\n<tr>{}</tr>\n", cell("th", &super::table::COLUMNS.map(str::to_owned)));
    for line in lines {
        let class = if line[1] == "all" { " class=\"sum\"" } else { "" };
        writeln!(out, "<tr{class}>{}</tr>", cell("td", line)).expect(TEXT);
    }
    out + "</table>\n"
}

/// Every run, in order.
fn runs(rows: &[Row]) -> String {
    let mut out = String::from("<table>\n<tr><th>task</th><th>preset</th><th>expected</th><th>verdict</th>");
    out += "<th>cpu</th><th>wall</th><th>reason</th></tr>\n";
    for row in rows {
        let wrong = if row.judge() == Judgement::Wrong { " class=\"sum\"" } else { "" };
        let expected = row.expected.map_or(String::new(), |expected| expected.to_string());
        let cells = [&row.task, &row.preset, &expected, &row.verdict].map(|cell| format!("<td>{}</td>", markup(cell)));
        let (cells, reason) = (cells.concat(), markup(&row.reason));
        writeln!(out, "<tr{wrong}>{cells}<td>{:.2}</td><td>{:.2}</td><td>{reason}</td></tr>", row.cpu, row.wall)
            .expect(TEXT);
    }
    out + "</table>\n"
}

/// Where things are in a picture.
struct Scale {
    most: usize,
    /// Powers of ten.
    low: f64,
    high: f64,
}

impl Scale {
    fn x(&self, count: f64) -> f64 {
        LEFT + (WIDTH - LEFT - EDGE) * count / self.most.max(1) as f64
    }

    fn y(&self, seconds: f64) -> f64 {
        let part = (seconds.max(LEAST).log10() - self.low) / (self.high - self.low);
        EDGE + (HEIGHT - BOTTOM - EDGE) * (1.0 - part)
    }
}

/// The times of right answers, the fastest first.
pub struct Curve {
    name: String,
    times: Vec<f64>,
}

impl Curve {
    /// The right answers among some runs.
    pub fn new<'r>(name: &str, rows: impl Iterator<Item = &'r Row>) -> Curve {
        let mut times: Vec<f64> = rows.filter(|row| row.judge() == Judgement::Correct).map(|row| row.cpu).collect();
        times.sort_by(f64::total_cmp);
        Curve { name: name.to_owned(), times }
    }
}

fn of_presets(presets: &[String], rows: &[&Row]) -> Vec<Curve> {
    let curve = |preset: &String| Curve::new(preset, rows.iter().copied().filter(|row| row.preset == *preset));
    presets.iter().map(curve).collect()
}

/// How many colours there are; further curves are dashed.
const COLOURS: usize = 8;

/// A curve of more answers has no dots.
const MOST_DOTS: usize = 40;

/// For every curve, the time of its n-th fastest correct answer.
pub fn plot(curves: &[Curve]) -> String {
    let slowest = curves.iter().flat_map(|curve| &curve.times).copied().fold(1.0, f64::max);
    let most = curves.iter().map(|curve| curve.times.len()).max().unwrap_or(0);
    let scale = Scale { most, low: LEAST.log10(), high: slowest.log10().ceil().max(0.0) };
    let mut out = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"quantile plot\">\n");
    axes(&mut out, &scale);
    for (number, Curve { name, times }) in curves.iter().enumerate() {
        let class = number % COLOURS;
        let dashed = if number < COLOURS { "" } else { " stroke-dasharray=\"6 4\"" };
        let at = |(at, &time): (usize, &f64)| (scale.x(at as f64 + 1.0), scale.y(time));
        let points: Vec<(f64, f64)> = times.iter().enumerate().map(at).collect();
        let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        writeln!(out, "<polyline class=\"c{class}\"{dashed} points=\"{}\"/>", line.join(" ")).expect(TEXT);
        if points.len() <= MOST_DOTS {
            let dots =
                points.iter().map(|(x, y)| format!("<circle class=\"c{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\"/>"));
            writeln!(out, "{}", dots.collect::<String>()).expect(TEXT);
        }
        let (x, y) = (LEFT + 12.0, EDGE + 16.0 + 18.0 * number as f64);
        writeln!(out, "<rect class=\"c{class}\" x=\"{x}\" y=\"{:.1}\" width=\"14\" height=\"4\"/>", y - 6.0)
            .expect(TEXT);
        writeln!(out, "<text x=\"{}\" y=\"{y}\">{} ({})</text>", x + 20.0, markup(name), times.len()).expect(TEXT);
    }
    out + "</svg>\n"
}

fn axes(out: &mut String, scale: &Scale) {
    let (right, bottom) = (WIDTH - EDGE, HEIGHT - BOTTOM);
    let mut power = scale.low;
    while power <= scale.high + 0.01 {
        let (seconds, y) = (10_f64.powf(power), scale.y(10_f64.powf(power)));
        writeln!(out, "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/>").expect(TEXT);
        writeln!(out, "<text class=\"end\" x=\"{}\" y=\"{:.1}\">{seconds} s</text>", LEFT - 8.0, y + 4.0).expect(TEXT);
        power += 1.0;
    }
    let step = nice_step(scale.most);
    for count in (0..=scale.most).step_by(step) {
        let x = scale.x(count as f64);
        writeln!(out, "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{EDGE}\" x2=\"{x:.1}\" y2=\"{bottom}\"/>").expect(TEXT);
        writeln!(out, "<text class=\"middle\" x=\"{x:.1}\" y=\"{}\">{count}</text>", bottom + 18.0).expect(TEXT);
    }
    let (x, y) = ((LEFT + right) / 2.0, HEIGHT - 6.0);
    writeln!(out, "<text class=\"middle\" x=\"{x}\" y=\"{y}\">n-th fastest correct answer, by processor time</text>")
        .expect(TEXT);
}

/// About eight marks at round numbers.
fn nice_step(most: usize) -> usize {
    [1, 2, 5]
        .iter()
        .cycle()
        .zip(0..)
        .map(|(step, at)| step * 10_usize.pow(at / 3))
        .find(|step| most / step <= 8)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_at_round_numbers() {
        assert_eq!([0, 8, 9, 30, 100, 556].map(nice_step), [1, 1, 2, 5, 20, 100]);
    }
}
