import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { useGet } from "../api";
import { mixed, readColours, readFont } from "../colours";
import { day as dayWords, language, locale, number, t } from "../i18n";
import { useKeys } from "../keys";
import { Said } from "../parts/Said";
import { Empty, Shown, Trouble } from "../parts/States";
import { entityUrl, factUrl, query, setQuery } from "../router";
import "uplot/dist/uPlot.min.css";
import "./decay.css";

interface Columns {
  day: string[];
  hot: number[];
  warm: number[];
  cold: number[];
}
interface Settings {
  clock: "activity" | "wall";
  hot_days: number;
  warm_days: number;
  unsure_days: number;
  kept_accesses: number;
}
interface Course {
  id: string;
  entity: string;
  text: string;
  tier: string;
  stays: string | null;
  leaves_hot: string | null;
  leaves_warm: string | null;
  then?: Course;
}
interface Report {
  clock: string;
  days: number;
  settings: Settings;
  tiers: Record<Tier, number>;
  past: Columns;
  course: Columns;
  expected: Columns;
  soon: number;
  leaving: { count: number; facts: Course[] };
  what_if: { settings: Settings; tiers: Record<Tier, number>; course: Columns; changed: { count: number; facts: Course[] } } | null;
}
type Tier = "hot" | "warm" | "cold";

const TIERS: Tier[] = ["hot", "warm", "cold"];
const SLIDERS = { hot_days: 60, warm_days: 180, unsure_days: 90, kept_accesses: 50 } as const;
const SPANS = [30, 90, 180, 365];
const NAMES = ["hot_days", "warm_days", "unsure_days", "kept_accesses", "clock"] as const;

export default function Decay() {
  const said = Object.fromEntries(["days", ...NAMES].map((name) => [name, query.value.get(name)]));
  const report = useGet<Report>("decay", said);
  const kept = useRef<Report | null>(null); // while the next answer is fetched, the last one stands
  if (report.data) kept.current = report.data;
  const shown = kept.current;
  return (
    <div class="page">
      <h1>{t("shell.decay")}</h1>
      <p class="muted">{t("decay.what")}</p>
      {report.problem && <Trouble problem={report.problem} again={report.again} />}
      {shown ? <Body report={shown} /> : !report.problem && <Shown of={report}>{() => null}</Shown>}
    </div>
  );
}

function Body({ report }: { report: Report }) {
  const all = TIERS.reduce((sum, tier) => sum + report.tiers[tier], 0);
  useKeys([{ key: "Escape", label: t("decay.as-set"), run: asSet }]);
  if (all === 0)
    return (
      <Empty title={t("decay.nothing")}>
        <span>{t("decay.nothing-hint")}</span>
        <code>engram write --entity people/anna --create --fact "Anna prefers tea"</code>
      </Empty>
    );
  const changed = report.what_if?.changed;
  return (
    <>
      <ul class="decay-tiers" role="list">
        {TIERS.map((tier) => (
          <li class="card">
            <span class={`badge ${tier}`}>{t(`decay.tier-${tier}`)}</span>
            <strong>{number(report.tiers[tier])}</strong>
            {report.what_if && <Change by={report.what_if.tiers[tier] - report.tiers[tier]} />}
            <span class="small muted">{t(`decay.means-${tier}`, means(report.what_if?.settings ?? report.settings))}</span>
          </li>
        ))}
      </ul>
      <section class="card stack" aria-label={t("decay.over-time")}>
        <div class="row apart">
          <h2>{t("decay.over-time")}</h2>
          <label class="row small">
            {t("decay.ahead")}
            <select value={report.days} onChange={(event) => setQuery({ days: event.currentTarget.value })}>
              {[...new Set([...SPANS, report.days])].sort((a, b) => a - b).map((days) => (
                <option value={days}>{t("decay.days", { n: days })}</option>
              ))}
            </select>
          </label>
        </div>
        <Chart report={report} />
        <p class="small muted">
          {t("decay.reading")} {t(report.clock === "wall" ? "decay.wall" : "decay.activity")}
        </p>
        <Numbers report={report} />
      </section>
      <Sliders report={report} />
      <section class="stack" aria-live="polite">
        <h2>
          {changed ? t("decay.would-move", { n: changed.count }) : t("decay.leaving", { n: report.leaving.count })}
        </h2>
        {!changed && <p class="muted small">{t("decay.soon", { n: report.soon })}</p>}
        <Facts rows={changed?.facts ?? report.leaving.facts} count={changed?.count ?? report.leaving.count} />
      </section>
    </>
  );
}

const asSet = () => setQuery(Object.fromEntries(NAMES.map((name) => [name, null])));
const means = (of: Settings) => ({ hot: of.hot_days, warm: of.warm_days });

function Change({ by }: { by: number }) {
  if (!by) return null;
  return (
    <span class={`decay-change ${by > 0 ? "more" : "less"}`}>
      {by > 0 ? "+" : "−"}
      {number(Math.abs(by))}
    </span>
  );
}

function Sliders({ report }: { report: Report }) {
  const now = report.what_if?.settings ?? report.settings;
  return (
    <section class="card stack" aria-label={t("decay.what-if")}>
      <div class="row apart">
        <h2>{t("decay.what-if")}</h2>
        <button type="button" class="button small" disabled={!report.what_if} onClick={asSet}>
          {t("decay.as-set")}
        </button>
      </div>
      <div class="decay-sliders">
        {(Object.keys(SLIDERS) as (keyof typeof SLIDERS)[]).map((name) => {
          const value = Number(query.value.get(name) ?? now[name]);
          return (
            <label>
              <span class="row apart">
                <span>{t(`decay.${name}`)}</span>
                <strong class={value === report.settings[name] ? "" : "decay-moved"}>{number(value)}</strong>
              </span>
              <input
                type="range"
                min={name === "kept_accesses" ? 1 : 0}
                max={Math.max(SLIDERS[name], report.settings[name])}
                value={value}
                onInput={(event) => set(report, name, event.currentTarget.value)}
              />
            </label>
          );
        })}
        <label>
          {t("decay.clock")}
          <select
            class="field"
            value={query.value.get("clock") ?? now.clock}
            onChange={(event) => set(report, "clock", event.currentTarget.value)}
          >
            <option value="activity">{t("decay.clock-activity")}</option>
            <option value="wall">{t("decay.clock-wall")}</option>
          </select>
        </label>
      </div>
      {report.what_if && (
        <p class="small">
          {t("decay.to-keep")}{" "}
          <code>{NAMES.filter((name) => report.what_if!.settings[name] !== report.settings[name]).map((name) => `decay.${name} = ${JSON.stringify(report.what_if!.settings[name])}`).join("; ")}</code>
        </p>
      )}
    </section>
  );
}

// What is set again stands no longer in the address; nothing is hot for longer than it is warm.
function set(report: Report, name: (typeof NAMES)[number], value: string): void {
  const said = (one: "hot_days" | "warm_days") => Number(query.value.get(one) ?? report.settings[one]);
  const plain = (one: (typeof NAMES)[number], to: string) => (String(report.settings[one]) === to ? null : to);
  const changes: Record<string, string | null> = { [name]: plain(name, value) };
  if (name === "hot_days" && Number(value) > said("warm_days")) changes.warm_days = plain("warm_days", value);
  if (name === "warm_days" && Number(value) < said("hot_days")) changes.hot_days = plain("hot_days", value);
  setQuery(changes);
}

const seconds = (day: string): number => Date.parse(`${day}T00:00:00`) / 1000;

function Chart({ report }: { report: Report }) {
  const place = useRef<HTMLDivElement>(null);
  const data = useMemo(() => stacked(report), [report]);
  useEffect(() => {
    let plot: uPlot | null = null;
    let stale = false;
    const width = () => place.current?.clientWidth ?? 600;
    const resized = new ResizeObserver(() => plot?.setSize({ width: width(), height: HEIGHT }));
    const draw = () =>
      void import("uplot").then(({ default: Plot }) => {
        if (stale || !place.current) return;
        plot?.destroy();
        plot = new Plot(options(report, width()), data, place.current);
        place.current.dataset.drawn = "yes";
        resized.observe(place.current);
      });
    draw();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const themed = new MutationObserver(draw);
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", draw);
    return () => {
      stale = true;
      resized.disconnect();
      themed.disconnect();
      dark.removeEventListener("change", draw);
      plot?.destroy();
    };
  }, [data, language.value]);
  const last = report.course.day.length - 1;
  const says = TIERS.map((tier) => `${t(`decay.tier-${tier}`)} ${report.course[tier][0]} → ${report.course[tier][last]}`);
  return (
    <div>
      <div ref={place} class="decay-chart" role="img" aria-label={`${t("decay.over-time")}: ${says.join(", ")}`} />
      <ul class="decay-legend small" role="list">
        {TIERS.map((tier) => (
          <li class={`badge ${tier}`}>{t(`decay.tier-${tier}`)}</li>
        ))}
        {isExpectedOtherwise(report) && <li class="decay-line expected">{t("decay.if-used")}</li>}
        {report.what_if && <li class="decay-line then">{t("decay.then")}</li>}
      </ul>
    </div>
  );
}

const HEIGHT = 280;

const isExpectedOtherwise = ({ course, expected }: Report): boolean =>
  TIERS.some((tier) => course[tier].some((many, row) => many !== expected[tier][row]));

// Hot lies on warm and warm on cold: what is drawn last is the lowest.
function stacked(report: Report): uPlot.AlignedData {
  const { past, course, expected, what_if: other } = report;
  const sum = (of: Columns, tiers: Tier[]) => of.day.map((_, row) => tiers.reduce((all, tier) => all + of[tier][row]!, 0));
  const none = past.day.map(() => null);
  const both = (tiers: Tier[]) => [...sum(past, tiers), ...sum(course, tiers)];
  const nothing = [...none, ...course.day.map(() => null)];
  const then = (tiers: Tier[]) => (other ? [...none, ...sum(other.course, tiers)] : nothing);
  const differs = isExpectedOtherwise(report);
  return [
    [...past.day, ...course.day].map(seconds),
    both(["hot", "warm", "cold"]),
    both(["warm", "cold"]),
    both(["cold"]),
    differs ? [...none, ...sum(expected, ["warm", "cold"])] : nothing,
    differs ? [...none, ...sum(expected, ["cold"])] : nothing,
    then(["warm", "cold"]),
    then(["cold"]),
  ] as uPlot.AlignedData;
}

function options(report: Report, width: number): uPlot.Options {
  const colour = readColours();
  const [ink, line] = [colour("--ink-3"), colour("--line-1")];
  const font = `12px ${readFont()}`;
  const area = (tier: Tier) => {
    const full = colour(`--tier-${tier}`);
    return { stroke: full, fill: mixed(full, colour("--surface"), 0.45), width: 1.5, points: { show: false } };
  };
  const dashes = (name: string, dash: number[]) => ({ stroke: colour(name), width: 2, dash, points: { show: false } });
  const axis = { stroke: ink, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const form = new Intl.DateTimeFormat(locale(), { day: "numeric", month: "short" });
  const today = seconds(report.course.day[0]!);
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    scales: { x: { time: true }, y: { range: (_plot, _low, high) => [0, Math.max(1, high * 1.14)] } },
    axes: [
      { ...axis, values: (_plot, splits) => splits.map((at) => form.format(at * 1000)), space: 70 },
      { ...axis, values: (_plot, splits) => splits.map((many) => (Number.isInteger(many) ? number(many) : "")), size: 64 },
    ],
    series: [
      {},
      area("hot"),
      area("warm"),
      area("cold"),
      dashes("--ink-2", [2, 4]),
      dashes("--ink-2", [2, 4]),
      dashes("--ink", [8, 4]),
      dashes("--ink", [8, 4]),
    ],
    hooks: { draw: [(plot) => markToday(plot, today, ink, font)] },
  };
}

function markToday(plot: uPlot, today: number, ink: string, font: string): void {
  const { ctx, bbox } = plot;
  const x = plot.valToPos(today, "x", true);
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = ink;
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.font = font.replace("12px", `${12 * devicePixelRatio}px`);
  ctx.textAlign = "left";
  ctx.fillText(t("decay.today"), x + 5 * devicePixelRatio, bbox.top + 14 * devicePixelRatio);
  ctx.restore();
}

function Numbers({ report }: { report: Report }) {
  const weeks = report.course.day.map((_, row) => row).filter((row) => row % 7 === 0);
  const rows = [
    ...report.past.day.map((day, row) => ({ day, of: report.past, row })),
    ...weeks.map((row) => ({ day: report.course.day[row]!, of: report.course, row })),
  ];
  return (
    <details>
      <summary class="small">{t("decay.numbers")}</summary>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("decay.day")}</th>
              {TIERS.map((tier) => (
                <th scope="col" class="number">
                  {t(`decay.tier-${tier}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ day, of, row }) => (
              <tr>
                <td>{dayWords(day)}</td>
                {TIERS.map((tier) => (
                  <td class="number">{number(of[tier][row]!)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Facts({ rows, count }: { rows: Course[]; count: number }) {
  if (rows.length === 0) return <p class="muted">{t("decay.none")}</p>;
  return (
    <div class="scroll">
      <table class="decay-facts">
        <thead>
          <tr>
            <th scope="col">{t("decay.fact")}</th>
            <th scope="col">{t("decay.tier")}</th>
            <th scope="col">{t("decay.leaves-hot")}</th>
            <th scope="col">{t("decay.leaves-warm")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr key={one.id}>
              <td>
                <a class="fact-text" href={factUrl(one.id)}>
                  <Said text={one.text} most={200} />
                </a>
                <br />
                <a class="small muted" href={entityUrl(one.entity)}>
                  {one.entity}
                </a>{" "}
                {one.stays && <span class="small muted">· {t(`decay.stays-${one.stays}`)}</span>}
              </td>
              <td>
                <Moved from={<Name tier={one.tier} />} to={one.then && one.then.tier !== one.tier ? <Name tier={one.then.tier} /> : null} />
              </td>
              <td>
                <Days from={one.leaves_hot} then={one.then?.leaves_hot} />
              </td>
              <td>
                <Days from={one.leaves_warm} then={one.then?.leaves_warm} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {count > rows.length && <p class="small muted">{t("decay.more", { n: count - rows.length })}</p>}
    </div>
  );
}

const Name = ({ tier }: { tier: string }) => <span class={`badge ${tier}`}>{t(`decay.tier-${tier}`)}</span>;

function Moved({ from, to }: { from: ComponentChildren; to: ComponentChildren }) {
  return to === null ? <>{from}</> : (
    <>
      {from} → {to}
    </>
  );
}

function Days({ from, then }: { from: string | null; then: string | null | undefined }) {
  const words = (day: string | null) => <span class="decay-day">{day ? dayWords(day) : "–"}</span>;
  return <Moved from={words(from)} to={then === undefined || then === from ? null : words(then)} />;
}
