import { day, locale, t } from "../i18n";
import { factUrl, setQuery } from "../router";
import { type Fact, endOf } from "./fact";
import { Said } from "./Said";
import "./lanes.css";

// When facts held in the world: a lane for each attribute, whose values follow each other, and one for each kind of the
// rest, of which only the day is drawn on which they began, or the days between which they held.
interface Lane {
  name: string;
  label: string;
  slot: boolean; // one value at a time
  bars: Bar[];
  dots: Map<number, Fact[]>; // by place
}
interface Bar {
  fact: Fact;
  from: number; // share of the width
  to: number;
  row: number;
}

const PLACES = 160; // across, on which days fall
const NARROW = 0.04; // share of the width below which a bar has no room for words
const MOST_ROWS = 6;
const MOST_LANES = 14;
const ROW_PX = 24;
const DAY_MS = 86_400_000;
const HELD = ["active", "planned", "ended", "superseded"];

export function Lanes({ facts, now }: { facts: Fact[]; now: string }) {
  const held = facts.filter((one) => HELD.includes(one.status) && !one.was_wrong && one.trust !== "quarantined");
  if (!held.length) return <p class="muted">{t("lanes.empty")}</p>;
  const span = spanOf(held, Date.parse(now));
  const lanes = lanesOf(held, span);
  const ticks = ticksOf(span);
  return (
    <div class="card lanes" role="group" aria-label={t("lanes.label")}>
      <div class="lane axis" aria-hidden="true">
        <span />
        <div class="track">
          {ticks.map((one) => (
            <span class="tick" style={{ insetInlineStart: `${one.at * 100}%` }}>
              {one.label}
            </span>
          ))}
        </div>
      </div>
      {lanes.map((lane) => (
        <div class="lane" key={lane.name}>
          <button type="button" class="lane-name" title={t("lanes.filter")} onClick={() => setQuery({ lane: lane.name })}>
            {lane.label}
          </button>
          <div class="track" style={{ height: `${(rowsOf(lane) + (lane.bars.length && lane.dots.size ? 1 : 0)) * ROW_PX}px` }}>
            {ticks.map((one) => (
              <span class="grid-line" style={{ insetInlineStart: `${one.at * 100}%` }} />
            ))}
            {Date.parse(now) < span.to && (
              <span class="now" style={{ insetInlineStart: `${share(Date.parse(now), span) * 100}%` }} title={t("lanes.now")} />
            )}
            {lane.bars.map((one) => (
              <a
                key={one.fact.id}
                class={`span ${one.fact.status} ${one.fact.tier}`}
                aria-label={one.fact.text.slice(0, 200)}
                href={factUrl(one.fact.id)}
                title={`${one.fact.text}\n${day(one.fact.valid_from)} – ${day(endOf(one.fact)) || t("lanes.open")}`}
                style={{ insetInlineStart: `${one.from * 100}%`, width: `${(one.to - one.from) * 100}%`, top: `${one.row * ROW_PX + 2}px` }}
              >
                {one.to - one.from > NARROW && <Said text={one.fact.value ?? one.fact.text} most={60} />}
              </a>
            ))}
            {[...lane.dots].map(([place, found]) => (
              <Dot key={place} place={place} found={found} lane={lane.name} row={lane.bars.length ? rowsOf(lane) : 0} />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

// What is of one day stands below the bars, whose words it would hide.
function Dot({ place, found, lane, row }: { place: number; found: Fact[]; lane: string; row: number }) {
  const size = 8 + Math.min(12, Math.round(4 * Math.log2(found.length)));
  const told = found.slice(0, 4).map((one) => one.text.slice(0, 120));
  const title = `${day(found[0]!.valid_from)}: ${told.join("\n")}${found.length > told.length ? `\n+${found.length - told.length}` : ""}`;
  const style = { insetInlineStart: `${(place / PLACES) * 100}%`, width: `${size}px`, height: `${size}px`, top: `${(row + 0.5) * ROW_PX}px` };
  if (found.length === 1)
    return <a class={`dot ${found[0]!.tier}`} href={factUrl(found[0]!.id)} title={title} aria-label={title} style={style} />;
  return (
    <button
      type="button"
      class={`dot ${found[0]!.tier}`}
      title={title}
      aria-label={t("lanes.several", { n: found.length, at: day(found[0]!.valid_from) })}
      style={style}
      onClick={() => setQuery({ lane })}
    />
  );
}

const rowsOf = (lane: Lane): number => Math.max(1, ...lane.bars.map((one) => one.row + 1));

type Span = { from: number; to: number };

const share = (at: number, span: Span): number => Math.max(0, Math.min(1, (at - span.from) / (span.to - span.from)));

function spanOf(facts: Fact[], now: number): Span {
  const times = facts.flatMap((one) => [one.valid_from, endOf(one)].filter(Boolean).map((at) => Date.parse(at!)));
  const from = Math.min(...times);
  const isOpen = facts.some((one) => one.attribute !== null && !endOf(one)); // a bar that reaches to now
  const to = isOpen ? Math.max(...times, now) : Math.max(...times);
  const margin = Math.max((to - from) * 0.03, DAY_MS);
  return { from: from - margin, to: to + margin };
}

function lanesOf(facts: Fact[], span: Span): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const fact of [...facts].sort((one, other) => one.valid_from.localeCompare(other.valid_from))) {
    const name = fact.attribute ?? fact.category;
    const slot = fact.attribute !== null;
    const label = slot ? name.replaceAll("_", " ") : t(`parts.category-${name}`);
    const lane = lanes.get(name) ?? { name, label, slot, bars: [], dots: new Map() };
    lanes.set(name, lane);
    if (slot || endOf(fact)) addBar(lane, fact, span);
    else {
      const place = Math.round(share(Date.parse(fact.valid_from), span) * PLACES);
      lane.dots.set(place, [...(lane.dots.get(place) ?? []), fact]);
    }
  }
  const size = (lane: Lane) => lane.bars.length + [...lane.dots.values()].reduce((sum, one) => sum + one.length, 0);
  return [...lanes.values()].sort((one, other) => Number(other.slot) - Number(one.slot) || size(other) - size(one)).slice(0, MOST_LANES);
}

// Bars that overlap stand below each other.
function addBar(lane: Lane, fact: Fact, span: Span): void {
  const from = share(Date.parse(fact.valid_from), span);
  const end = endOf(fact);
  const to = Math.max(end ? share(Date.parse(end), span) : 1, from + 0.012);
  let row = 0;
  while (row < MOST_ROWS - 1 && lane.bars.some((one) => one.row === row && one.from < to - 1e-6 && from < one.to - 1e-6)) row += 1;
  lane.bars.push({ fact, from, to, row });
}

const STEPS: [number, Intl.DateTimeFormatOptions][] = [
  [1, { day: "numeric", month: "short" }],
  [7, { day: "numeric", month: "short" }],
  [30.44, { month: "short", year: "numeric" }],
  [91.3, { month: "short", year: "numeric" }],
  [365.25, { year: "numeric" }],
  [3652.5, { year: "numeric" }],
];
const MOST_TICKS = 8;

function ticksOf(span: Span): { at: number; label: string }[] {
  const days = (span.to - span.from) / DAY_MS;
  const [step, how] = STEPS.find(([one]) => days / one <= MOST_TICKS) ?? STEPS[STEPS.length - 1]!;
  const form = new Intl.DateTimeFormat(locale(), how);
  const found = [];
  for (const at = firstTick(span.from, step); at.getTime() < span.to; next(at, step))
    if (at.getTime() >= span.from) found.push({ at: share(at.getTime(), span), label: form.format(at) });
  return found;
}

function firstTick(from: number, step: number): Date {
  const at = new Date(from);
  at.setHours(0, 0, 0, 0);
  if (step > 7) at.setDate(1);
  if (step > 32) at.setMonth(step > 100 ? 0 : Math.floor(at.getMonth() / 3) * 3);
  return at;
}

function next(at: Date, step: number): void {
  if (step <= 7) at.setDate(at.getDate() + step);
  else if (step < 40) at.setMonth(at.getMonth() + 1);
  else if (step < 100) at.setMonth(at.getMonth() + 3);
  else at.setFullYear(at.getFullYear() + Math.round(step / 365.25));
}
