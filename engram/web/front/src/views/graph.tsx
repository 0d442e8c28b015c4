import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useGet } from "../api";
import type { GraphDrawing } from "../graph/drawing";
import { type Answer, type Counted, MOST_EDGES, Replay, dayOf, isoOf } from "../graph/replay";
import { day as dayWords, number, t } from "../i18n";
import { useKeys } from "../keys";
import { Said } from "../parts/Said";
import { Empty, Shown } from "../parts/States";
import { entityUrl, factUrl, go, query, setQuery } from "../router";
import "./graph.css";

interface Card {
  path: string;
  title: string;
  aliases: string[];
  counts: Record<string, number>;
  facts: { id: string; text: string; tier: string; valid_from: string }[];
}

const loaded = import("../graph/drawing"); // while the answer is on its way

const MOST_ROWS = 200; // of the list
const MOST_BESIDE = 12; // relations that a card names
const PLAY_STEPS = 150; // in which all days are shown
const PLAY_MS = 80;

export default function Graph() {
  const known = query.value.get("known");
  const answer = useGet<Answer>("graph", { as_known: known });
  return (
    <div class="page full graph">
      <h1 class="visually-hidden">{t("shell.graph")}</h1>
      <Shown of={answer}>{(data) => (data.spans.node.length || known ? <Moving answer={data} known={known} /> : <Nothing />)}</Shown>
    </div>
  );
}

function Nothing() {
  return (
    <Empty title={t("graph.nothing")}>
      <span>{t("graph.nothing-hint")}</span>
      <code>engram write --entity people/anna --create --fact "Anna prefers tea"</code>
    </Empty>
  );
}

// What the address says of the graph: every choice stands in it.
function choices(answer: Answer) {
  const said = query.value;
  const placeIn = (list: string[], name: string): number | null => {
    const at = list.indexOf(said.get(name) ?? "");
    return at < 0 ? null : at;
  };
  const asOf = said.get("day");
  const day = asOf && /^\d{4}-\d\d-\d\d$/.test(asOf) ? dayOf(asOf) : answer.today;
  return {
    day: Math.min(Math.max(day, answer.first), answer.today),
    kind: placeIn(answer.kinds, "kind"),
    tier: placeIn(answer.tiers, "tier"),
    tag: placeIn(answer.tags, "tag"),
    words: said.get("find") ?? "",
    chosen: placeIn(answer.nodes.path, "entity"),
    asList: said.has("list"),
  };
}

function Moving({ answer, known }: { answer: Answer; known: string | null }) {
  const replay = useMemo(() => new Replay(answer), [answer]);
  const { day, kind, tier, tag, words, chosen, asList } = choices(answer);
  const counted = useMemo(
    () => replay.at({ day, kind, tier, tag, now: known === null }),
    [replay, day, kind, tier, tag, known],
  );
  const found = useMemo(() => matches(answer, counted, words), [answer, counted, words]);
  const choose = (node: number | null) => setQuery({ entity: node === null ? null : answer.nodes.path[node]! });
  const search = useRef<HTMLInputElement>(null);
  useKeys([
    { key: "l", label: t("graph.list"), run: () => setQuery({ list: asList ? null : "1" }) },
    { key: "f", label: t("graph.find"), run: () => search.current?.focus() },
    { key: "[", label: t("graph.day-before"), run: () => moveDay(answer, day - 1) },
    { key: "]", label: t("graph.day-after"), run: () => moveDay(answer, day + 1) },
    ...(chosen === null
      ? []
      : [
          { key: "Enter", label: t("graph.open"), run: () => go(entityUrl(answer.nodes.path[chosen]!)) },
          { key: "Escape", label: t("graph.let-go"), run: () => choose(null) },
        ]),
  ]);
  return (
    <>
      <Filters answer={answer} search={search} words={words} asList={asList} />
      <p class="small muted" role="status">
        {t("graph.nodes", { n: counted.nodes })} · {t("graph.edges", { n: counted.edges })} {"· "}
        {!asList && counted.edges > MOST_EDGES && `${t("graph.strongest", { n: MOST_EDGES, all: counted.edges })} · `}
        {day === answer.today && known === null ? t("graph.today") : dayWords(isoOf(day))}
        {known && ` · ${t("graph.as-known", { day: dayWords(known) })}`}
        {found && ` · ${t("graph.found", { n: found.size })}`}
      </p>
      <div class="graph-halves" data-card={chosen !== null || undefined}>
        {asList ? (
          <List answer={answer} counted={counted} found={found} choose={choose} />
        ) : (
          <Canvas answer={answer} counted={counted} chosen={chosen} found={found} choose={choose} />
        )}
        {chosen !== null && (
          <Aside answer={answer} counted={counted} node={chosen} day={day} known={known} choose={choose} />
        )}
      </div>
      <Days answer={answer} day={day} known={known} />
    </>
  );
}

function matches(answer: Answer, counted: Counted, words: string): Set<number> | null {
  const wanted = words.trim().toLowerCase();
  if (!wanted) return null;
  const fits = (node: number) =>
    answer.nodes.title[node]!.toLowerCase().includes(wanted) || answer.nodes.path[node]!.includes(wanted);
  return new Set(answer.nodes.path.map((_, node) => node).filter((node) => counted.shown[node] && fits(node)));
}

function moveDay(answer: Answer, day: number): void {
  const within = Math.min(Math.max(day, answer.first), answer.today);
  setQuery({ day: within === answer.today ? null : isoOf(within) });
}

interface FilterProps {
  answer: Answer;
  search: { current: HTMLInputElement | null };
  words: string;
  asList: boolean;
}

function Filters({ answer, search, words, asList }: FilterProps) {
  return (
    <div class="row graph-filters">
      <input
        ref={search}
        class="field"
        type="search"
        placeholder={t("graph.find")}
        aria-label={t("graph.find")}
        value={words}
        onInput={(event) => setQuery({ find: event.currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && event.currentTarget.blur()}
      />
      <Choice name="kind" all={t("graph.all-kinds")} of={answer.kinds} words={(one) => t(`graph.kind-${one}`)} />
      <Choice name="tier" all={t("graph.all-tiers")} of={answer.tiers} words={(one) => t(`graph.tier-${one}`)} />
      {answer.tags.length > 0 && <Choice name="tag" all={t("graph.all-tags")} of={answer.tags} words={(one) => one} />}
      <button type="button" class="button" aria-pressed={asList} onClick={() => setQuery({ list: asList ? null : "1" })}>
        {asList ? t("graph.picture") : t("graph.list")}
      </button>
    </div>
  );
}

interface ChoiceProps {
  name: string;
  all: string;
  of: string[];
  words: (one: string) => string;
}

function Choice({ name, all, of, words }: ChoiceProps) {
  return (
    <select
      aria-label={t(`graph.by-${name}`)}
      value={query.value.get(name) ?? ""}
      onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
    >
      <option value="">{all}</option>
      {of.map((one) => (
        <option value={one}>{words(one)}</option>
      ))}
    </select>
  );
}

interface CanvasProps {
  answer: Answer;
  counted: Counted;
  chosen: number | null;
  found: Set<number> | null;
  choose: (node: number | null) => void;
}

const ARROWS: Record<string, [number, number]> = {
  ArrowRight: [1, 0],
  ArrowLeft: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
};

function Canvas({ answer, counted, chosen, found, choose }: CanvasProps) {
  const place = useRef<HTMLDivElement>(null);
  const [drawing, setDrawing] = useState<GraphDrawing | null>(null);
  const [isDrawn, setDrawn] = useState(false);
  useEffect(() => {
    let made: GraphDrawing | null = null;
    let stale = false;
    void loaded.then(({ GraphDrawing: Made }) => {
      if (stale || !place.current) return;
      const drawn = () => {
        place.current?.setAttribute("data-drawn", "yes");
        setDrawn(true);
      };
      made = new Made(place.current, answer, { choose, drawn });
      setDrawing(made);
    });
    return () => {
      stale = true;
      made?.end();
      setDrawing(null);
    };
  }, [answer]);
  useEffect(() => drawing?.show(counted), [drawing, counted]);
  useEffect(() => drawing?.find(found), [drawing, found]);
  useEffect(() => drawing?.choose(chosen), [drawing, chosen]);
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const colour = () => drawing?.colour();
    const watch = new MutationObserver(colour);
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    dark.addEventListener("change", colour);
    return () => {
      watch.disconnect();
      dark.removeEventListener("change", colour);
    };
  }, [drawing]);
  const onKeyDown = (event: KeyboardEvent) => {
    const way = ARROWS[event.key];
    if (!way || !drawing) return;
    event.preventDefault();
    event.stopPropagation();
    const next = drawing.towards(...way);
    if (next !== null) choose(next);
  };
  return (
    <section class="graph-place">
      <div
        ref={place}
        class="graph-canvas"
        tabIndex={0}
        role="application"
        aria-label={t("graph.canvas")}
        aria-describedby="graph-hint"
        onKeyDown={onKeyDown}
      />
      {!isDrawn && (
        <div class="loading" role="progressbar" aria-label={t("shell.loading")}>
          <span class="visually-hidden">{t("shell.loading")}</span>
        </div>
      )}
      <div class="graph-zoom">
        <button type="button" class="button small" aria-label={t("graph.nearer")} onClick={() => drawing?.zoom(1.5)}>
          +
        </button>
        <button type="button" class="button small" aria-label={t("graph.farther")} onClick={() => drawing?.zoom(1 / 1.5)}>
          −
        </button>
        <button type="button" class="button small" onClick={() => drawing?.whole()}>
          {t("graph.whole")}
        </button>
      </div>
      <ul class="graph-legend small" role="list">
        {answer.kinds.map((kind) => (
          <li class={`graph-kind ${kind}`}>{t(`graph.kind-${kind}`)}</li>
        ))}
        <li class="muted">{t("graph.paler")}</li>
      </ul>
      <p id="graph-hint" class="graph-hint small muted">
        {t("graph.hint")}
      </p>
    </section>
  );
}

function tierOf(answer: Answer, counted: Counted, node: number): string | null {
  return answer.tiers[counted.hottest[node]!] ?? null;
}

function Tier({ name }: { name: string | null }) {
  return name ? <span class={`badge ${name}`}>{t(`graph.tier-${name}`)}</span> : <span class="muted">–</span>;
}

// Who is joined to an entity on the day that is shown, the most first.
function beside(answer: Answer, counted: Counted, node: number): { node: number; facts: number }[] {
  const rows: { node: number; facts: number }[] = [];
  counted.relations.forEach((facts, edge) => {
    if (!facts) return;
    const [a, b] = [answer.edges.a[edge]!, answer.edges.b[edge]!];
    if (a === node) rows.push({ node: b, facts });
    else if (b === node) rows.push({ node: a, facts });
  });
  return rows.sort((first, second) => second.facts - first.facts);
}

interface ListProps {
  answer: Answer;
  counted: Counted;
  found: Set<number> | null;
  choose: (node: number) => void;
}

function List({ answer, counted, found, choose }: ListProps) {
  const degree = new Int32Array(answer.nodes.path.length);
  counted.relations.forEach((facts, edge) => {
    for (const end of [answer.edges.a[edge]!, answer.edges.b[edge]!]) if (facts) degree[end] = degree[end]! + 1;
  });
  const all = answer.nodes.path.map((_, node) => node).filter((node) => counted.shown[node] && (!found || found.has(node)));
  all.sort((a, b) => degree[b]! - degree[a]! || counted.facts[b]! - counted.facts[a]!);
  return (
    <div class="scroll">
      <table class="graph-list">
        <thead>
          <tr>
            <th scope="col">{t("graph.entity")}</th>
            <th scope="col">{t("graph.kind")}</th>
            <th scope="col" class="number">
              {t("graph.facts")}
            </th>
            <th scope="col" class="number">
              {t("graph.relations")}
            </th>
            <th scope="col">{t("graph.hottest")}</th>
          </tr>
        </thead>
        <tbody>
          {all.slice(0, MOST_ROWS).map((node) => (
            <tr key={answer.nodes.path[node]}>
              <td>
                <button type="button" class="graph-link" onClick={() => choose(node)}>
                  <Said text={answer.nodes.title[node]!} />
                </button>
              </td>
              <td>{t(`graph.kind-${answer.kinds[answer.nodes.kind[node]!]}`)}</td>
              <td class="number">{number(counted.facts[node]!)}</td>
              <td class="number">{number(degree[node]!)}</td>
              <td>
                <Tier name={tierOf(answer, counted, node)} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {all.length > MOST_ROWS && <p class="small muted">{t("graph.more", { n: all.length - MOST_ROWS })}</p>}
      {all.length === 0 && <p class="muted">{t("graph.none-fits")}</p>}
    </div>
  );
}

interface AsideProps {
  answer: Answer;
  counted: Counted;
  node: number;
  day: number;
  known: string | null;
  choose: (node: number | null) => void;
}

function Aside({ answer, counted, node, day, known, choose }: AsideProps) {
  const path = answer.nodes.path[node]!;
  const card = useGet<Card>(`graph/${path}`, { as_of: day === answer.today ? null : isoOf(day), as_known: known });
  const others = beside(answer, counted, node);
  return (
    <aside class="card stack graph-card" aria-label={answer.nodes.title[node]}>
      <div class="row apart">
        <h2>
          <a href={entityUrl(path)}>
            <Said text={answer.nodes.title[node]!} most={120} />
          </a>
        </h2>
        <button type="button" class="button small quiet" aria-label={t("shell.close")} onClick={() => choose(null)}>
          ×
        </button>
      </div>
      <p class="small muted">
        {t(`graph.kind-${answer.kinds[answer.nodes.kind[node]!]}`)} · <span class="mono">{path}</span>
      </p>
      <Shown of={card}>
        {(shown) => (
          <div class="stack tight">
            <p class="row small">
              {Object.entries(shown.counts).map(([tier, many]) => (
                <span class={`badge ${tier}`}>
                  {t(`graph.tier-${tier}`)} {number(many)}
                </span>
              ))}
            </p>
            {shown.facts.length === 0 && <p class="muted">{t("graph.no-facts")}</p>}
            <ul class="graph-facts" role="list">
              {shown.facts.map((fact) => (
                <li key={fact.id}>
                  <a href={factUrl(fact.id)} class={`graph-fact ${fact.tier}`}>
                    <Said text={fact.text} most={240} />
                  </a>
                </li>
              ))}
            </ul>
          </div>
        )}
      </Shown>
      {others.length > 0 && (
        <div class="stack tight">
          <h3>{t("graph.joined-with", { n: others.length })}</h3>
          <ul class="graph-beside" role="list">
            {others.slice(0, MOST_BESIDE).map((one) => (
              <li>
                <button type="button" class="graph-link" onClick={() => choose(one.node)}>
                  <Said text={answer.nodes.title[one.node]!} most={80} />
                </button>{" "}
                <span class="muted small">{number(one.facts)}</span>
              </li>
            ))}
          </ul>
          {others.length > MOST_BESIDE && (
            <p class="small muted">{t("graph.more", { n: others.length - MOST_BESIDE })}</p>
          )}
        </div>
      )}
      <a class="button" href={entityUrl(path)}>
        {t("graph.open")} <kbd>Enter</kbd>
      </a>
    </aside>
  );
}

function Days({ answer, day, known }: { answer: Answer; day: number; known: string | null }) {
  const [plays, setPlays] = useState(false);
  const at = useRef(day);
  at.current = day;
  useEffect(() => {
    if (!plays) return;
    const step = Math.max(1, Math.round((answer.today - answer.first) / PLAY_STEPS));
    if (at.current >= answer.today) moveDay(answer, answer.first);
    const timer = setInterval(() => {
      moveDay(answer, at.current + step);
      if (at.current + step >= answer.today) setPlays(false);
    }, PLAY_MS);
    return () => clearInterval(timer);
  }, [plays, answer]);
  useKeys([{ key: "p", label: t("graph.play"), run: () => setPlays(!plays) }]);
  return (
    <div class="card graph-days">
      <button type="button" class="button" aria-pressed={plays} onClick={() => setPlays(!plays)}>
        {plays ? t("graph.stop") : t("graph.play")}
      </button>
      <DaySlider label={t("graph.day")} answer={answer} first={answer.first} day={day} move={(to) => moveDay(answer, to)} />
      <KnownOn answer={answer} known={known} />
    </div>
  );
}

// The other axis: asked of the server, so only once the slider is let go.
function KnownOn({ answer, known }: { answer: Answer; known: string | null }) {
  const stands = known && /^\d{4}-\d\d-\d\d$/.test(known) ? dayOf(known) : answer.today;
  const [day, setDay] = useState(stands);
  useEffect(() => setDay(stands), [stands]);
  const first = useRef(stands);
  first.current = Math.min(first.current, answer.first, stands);
  const choose = (chosen: number) => setQuery({ known: chosen >= answer.today ? null : isoOf(chosen) });
  return (
    <DaySlider label={t("graph.known")} answer={answer} first={first.current} day={day} move={setDay} choose={choose} />
  );
}

interface SliderProps {
  label: string;
  answer: Answer;
  first: number;
  day: number;
  move: (day: number) => void; // while it is dragged
  choose?: (day: number) => void; // once it is let go
}

function DaySlider({ label, answer, first, day, move, choose }: SliderProps) {
  return (
    <label class="graph-slider">
      <span class="row apart">
        <span>{label}</span>
        <strong>{day >= answer.today ? t("graph.today") : dayWords(isoOf(day))}</strong>
      </span>
      <input
        type="range"
        min={first}
        max={answer.today}
        value={day}
        aria-valuetext={dayWords(isoOf(day))}
        onInput={(event) => move(Number(event.currentTarget.value))}
        onChange={(event) => choose?.(Number(event.currentTarget.value))}
      />
    </label>
  );
}
