// What `scripts/report-check` does once its packages are there.
import fs from "node:fs";
import path from "node:path";
import process from "node:process";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import puppeteer from "puppeteer-core";

const axe = fs.readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FORMS = [
  { name: "light", width: 1280, scheme: "light" },
  { name: "dark", width: 1280, scheme: "dark" },
  { name: "narrow", width: 400, scheme: "light" },
  { name: "print", width: 794, scheme: "light", media: "print" },
];
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
// Three digits are shown.
const ROUNDED = 0.0051;

const args = process.argv.slice(2);
let shots = null;
if (args[0] === "--shots") {
  shots = args[1];
  args.splice(0, 2);
  fs.mkdirSync(shots, { recursive: true });
}
if (args.length === 0) {
  console.error("report-check: name at least one result folder");
  process.exit(2);
}

let failures = 0;
function check(holds, what) {
  if (!holds) {
    failures += 1;
    console.log(`  FAIL ${what}`);
  }
}

const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM,
  args: ["--no-sandbox", "--disable-gpu", "--no-first-run"],
});
for (const folder of args) {
  const file = path.resolve(folder, "report.html");
  console.log(`${folder}: ${(fs.statSync(file).size / 1024).toFixed(0)} KiB`);
  check(fs.statSync(file).size < 1e6, "it has less than 1 MB");
  for (const form of FORMS) await look(file, folder, form);
}
await browser.close();
console.log(failures === 0 ? "report-check: all held" : `report-check: ${failures} failed`);
process.exit(failures === 0 ? 0 : 1);

async function look(file, folder, form) {
  const page = await browser.newPage();
  const said = [];
  const asked = [];
  page.on("console", (message) => {
    if (["error", "warn"].includes(message.type())) said.push(message.text());
  });
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("request", (request) => asked.push(request.url()));
  await page.setViewport({ width: form.width, height: 900 });
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: form.scheme }]);
  const url = pathToFileURL(file).href;
  await page.goto(url, { waitUntil: "load" });
  // Charts are drawn when the window has a frame for them.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  if (form.media) await page.emulateMediaType(form.media);
  check(said.length === 0, `${form.name}: the console is silent: ${said.join(" | ")}`);
  const beyond = asked.filter((other) => other !== url && !other.startsWith("data:"));
  check(beyond.length === 0, `${form.name}: nothing is asked for: ${beyond.join(" ")}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(form.media || wide <= 0, `${form.name}: the page is as wide as the window, not ${wide} px wider`);
  for (const [name, drawn] of await charts(page, form.media === "print")) check(drawn, `${form.name}: ${name} is drawn`);
  if (form.media !== "print") {
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run(document));
    for (const found of violations) {
      const where = found.nodes.slice(0, 3).map((node) => node.target.join(" ") + ": " + node.html.slice(0, 120));
      check(false, `${form.name}: axe ${found.id} (${found.impact}): ${found.help}: ${where.join("; ")}`);
    }
  }
  if (form.name === "light" && fs.existsSync(path.join(folder, "result.json"))) {
    const result = JSON.parse(fs.readFileSync(path.join(folder, "result.json"), "utf8"));
    await figures(page, result);
  }
  if (shots) {
    const name = `${path.basename(path.resolve(folder))}-${form.name}.png`;
    await page.screenshot({ path: path.join(shots, name), fullPage: true });
    if (form.media === "print") await page.pdf({ path: path.join(shots, name.replace(".png", ".pdf")), format: "A4" });
  }
  await page.close();
}

// Which charts have something on them: a canvas with ink on screen, the picture in print.
async function charts(page, printed) {
  return page.evaluate((printed) => {
    return [...document.querySelectorAll("figure.chart")].map((figure) => {
      if (printed) return [figure.id, figure.querySelector(".still svg").getBoundingClientRect().height > 100];
      const canvas = figure.querySelector("canvas");
      if (!canvas || canvas.getBoundingClientRect().height === 0) return [figure.id, false];
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 200) colours.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
      }
      return [figure.id, colours.size > 2];
    });
  }, printed);
}

function time(text) {
  const [number, unit] = text.split(" ");
  return Number(number) * UNITS[unit];
}

// Tables and charts against the numbers of the result, without this program's own ways of writing them.
async function figures(page, result) {
  const seen = await page.evaluate(() => {
    const heading = (section) => section.querySelector("h2")?.textContent ?? "";
    const table = (table) => [...table.querySelectorAll("tr")].map((row) => [...row.children].map((cell) => cell.textContent));
    const sections = [...document.querySelectorAll("main section")];
    return {
      tables: sections.map((section) => [heading(section), [...section.querySelectorAll("table")].map(table)]),
      charts: Object.fromEntries(
        [...document.querySelectorAll("figure.chart")].map((figure) => [
          figure.id,
          JSON.parse(figure.querySelector("script").textContent),
        ]),
      ),
    };
  });
  const keys = ["p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns"];
  let compared = 0;
  const kinds = [["All kinds together", result.all], ...result.kinds.map((kind) => [`Kind ${kind.name}`, kind])];
  for (const [start, kind] of kinds) {
    const found = seen.tables.find(([heading]) => heading.startsWith(`${start}:`));
    if (!found) continue;
    const rows = found[1][0].slice(1);
    const say = (name, row, figures) => {
      check(row !== undefined, `${start}: there is a row for ${name}`);
      if (!row || !figures) return;
      check(Number(row[2]) === figures.count, `${start}, ${name}: count ${row[2]} is ${figures.count}`);
      keys.forEach((key, n) => {
        compared += 1;
        const [shown, is] = [time(row[3 + n]), figures[key]];
        check(Math.abs(shown - is) <= ROUNDED * is + 0.5, `${start}, ${name}, ${key}: ${row[3 + n]} is ${is} ns`);
      });
    };
    say("workflows", rows.find((row) => row[0] === "workflow"), kind.workflows?.ok?.response);
    for (const round of kind.rounds) {
      const at = rows.findIndex((row) => row[0] === String(round.round));
      say(`response of round ${round.round}`, rows[at], round.outcomes?.ok?.response);
      const service = rows.slice(at + 1).find((row) => row[1] === "service");
      say(`service of round ${round.round}`, service, round.outcomes?.ok?.service);
    }
  }
  check(compared > 0 || !result.all.workflows?.ok, "some latencies were compared");
  const chart = seen.charts["throughput-over-time"];
  check(chart !== undefined || result.seconds.length === 0, "there is a chart over time");
  if (chart && result.seconds.length <= 600) {
    for (const name of ["sent", "ok"]) {
      const drawn = chart.lines.find((line) => line.label === name).y;
      const is = result.seconds.map((second) => second[name]);
      check(JSON.stringify(drawn) === JSON.stringify(is), `the chart of ${name} is that of the seconds`);
    }
  }
}
