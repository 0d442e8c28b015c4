import { useEffect, useRef, useState } from "preact/hooks";
import { get, useGet } from "../api";
import { day, dayOrMonth, has, number, t } from "../i18n";
import { useKeys } from "../keys";
import { position } from "../live";
import { Overdue, Tier, Trust } from "../parts/Badges";
import { Said } from "../parts/Said";
import { phrase } from "../phrases";
import { Empty, Shown } from "../parts/States";
import { entityUrl, factUrl, query, setQuery } from "../router";
import { inShort } from "../sessions";
import "./ask.css";

type Legs = Record<string, number | string>;
interface Hit {
  id: string;
  kind: string;
  text: string;
  score: number;
  state: string | null;
  overdue_since?: string | null;
  date: string | null;
  entity: string | null;
  source: string | null;
  tier: string | null;
  trust: string | null;
  path: string | null;
  lines: string | null;
  was: string | null;
  now: string | null;
  legs?: Legs;
}
interface Dropped {
  id: string;
  exit: string;
  legs: Legs;
  known: { kind: string; text: string; entity: string | null; date: string | null; trust: string | null } | null;
}
interface Answer {
  hits: Hit[];
  answer: string;
  tokens: number;
  took_ms: number;
  index_lag: number;
  degraded: string[];
  probably_unknown: boolean;
  asked_days: { words: string; first: string | null; last: string | null } | null;
  explain: { candidates: number; weights: Record<string, number>; named: string[]; dropped: Dropped[] };
}

const LEGS = ["lexical", "dense", "graph", "time"];
const SHOWN_OF_EXIT = 8;

export default function AskView() {
  const q = query.value.get("q") ?? "";
  const asOf = query.value.get("as_of") ?? "";
  const entity = query.value.get("entity") ?? "";
  const still = { live: false }; // an answer stays what it was until somebody asks again
  const now = useGet<Answer>(q ? "ask" : null, { q, entity }, still);
  const then = useGet<Answer>(q && asOf ? "ask" : null, { q, entity, as_of: asOf }, still);
  const askedAt = useAskedAt(now.data);
  useEffect(() => {
    if (!q) get("ask/ready").catch(() => undefined); // while the question is written; without it the answer takes longer
  }, []);
  const again = () => {
    now.again();
    if (asOf) then.again();
  };
  const input = useRef<HTMLInputElement>(null);
  useKeys([
    { key: "i", label: t("ask.question"), run: () => input.current?.focus() },
    ...(q ? [{ key: "r", label: t("ask.again"), run: again }] : []),
  ]);
  return (
    <div class="page ask">
      <h1>{t("ask.title")}</h1>
      <Question q={q} asOf={asOf} input={input} />
      {!q && <Beginning />}
      {q && askedAt !== null && askedAt !== position.value && (
        <p class="row small" role="status">
          {t("ask.changed")}
          <button type="button" class="button small" onClick={again}>
            {t("ask.again")} <kbd>r</kbd>
          </button>
        </p>
      )}
      {q && (
        <div class={`answers ${asOf ? "two" : ""}`} aria-live="polite">
          <section class="stack" aria-label={t("ask.now")}>
            {asOf && <h2>{t("ask.now")}</h2>}
            <Shown of={now}>{(data) => <AnswerOf data={data} other={then.data} />}</Shown>
          </section>
          {asOf && (
            <section class="stack" aria-label={t("ask.then", { at: day(asOf) })}>
              <h2>{t("ask.then", { at: day(asOf) })}</h2>
              <Shown of={then}>{(data) => <AnswerOf data={data} other={now.data} />}</Shown>
            </section>
          )}
        </div>
      )}
    </div>
  );
}

// How far the journal had come when an answer was given; null while there is none.
function useAskedAt(answer: Answer | null): number | null {
  const [at, setAt] = useState<number | null>(null);
  useEffect(() => setAt(answer ? position.peek() : null), [answer]);
  const now = position.value;
  useEffect(() => {
    if (at === 0 && now > 0) setAt(now); // the page had not heard yet how far it had come
  }, [at, now]);
  return at === 0 ? now : at;
}

function Question({ q, asOf, input }: { q: string; asOf: string; input: { current: HTMLInputElement | null } }) {
  const [words, setWords] = useState(q);
  useEffect(() => setWords(q), [q]);
  return (
    <form
      class="card question"
      role="search"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({ q: words.trim() }, {});
      }}
    >
      <input
        ref={input}
        class="field"
        dir="auto"
        autofocus={!q}
        aria-label={t("ask.question")}
        placeholder={t("ask.hint")}
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />
      <button type="submit" class="button primary" disabled={!words.trim()}>
        {t("ask.ask")}
      </button>
      <label class="beside-day">
        {t("ask.beside")}
        <input type="date" class="field" value={asOf} onChange={(event) => setQuery({ as_of: event.currentTarget.value })} />
      </label>
    </form>
  );
}

function Beginning() {
  return (
    <Empty title={t("ask.empty")}>
      <p>{t("ask.empty-why")}</p>
    </Empty>
  );
}

function AnswerOf({ data, other }: { data: Answer; other: Answer | null }) {
  const unsure = data.answer === "found" && data.probably_unknown;
  const elsewhere = other && new Set(other.hits.map((one) => one.id));
  return (
    <div class="stack">
      <p class="row small muted">
        <span class={`badge ${data.answer === "found" && !unsure ? "good" : "warn"}`}>
          {unsure ? t("ask.answer-unsure") : t(`ask.answer-${data.answer}`)}
        </span>
        <span>{t("ask.tokens", { n: data.tokens })}</span>
        <span>{t("ask.took", { n: Math.round(data.took_ms) })}</span>
        <span>{t("ask.candidates", { n: data.explain.candidates })}</span>
      </p>
      {data.asked_days && (
        <p class="small">
          {t("ask.days", { words: data.asked_days.words, first: day(data.asked_days.first) || "…", last: day(data.asked_days.last) || "…" })}
        </p>
      )}
      {data.degraded.map((one) => (
        <p class="banner small">
          <Said text={phrase(one)} most={300} />
        </p>
      ))}
      <ol role="list" class="hits">
        {data.hits.map((hit, place) => (
          <HitCard key={hit.id} hit={hit} place={place + 1} fresh={!!elsewhere && !elsewhere.has(hit.id)} best={bestOf(data)} />
        ))}
      </ol>
      <Weights weights={data.explain.weights} named={data.explain.named} />
      <LeftOut dropped={data.explain.dropped} best={bestOf(data)} />
    </div>
  );
}

// The best score of each leg, against which the others are drawn.
function bestOf(data: Answer): Record<string, number> {
  const all = [...data.hits.map((one) => one.legs ?? {}), ...data.explain.dropped.map((one) => one.legs)];
  return Object.fromEntries(LEGS.map((leg) => [leg, Math.max(0, ...all.map((legs) => Number(legs[leg]) || 0))]));
}

function LegScores({ legs, best }: { legs: Legs; best: Record<string, number> }) {
  const there = LEGS.filter((leg) => legs[leg] !== undefined);
  return (
    <span class="legs">
      {there.map((leg) => {
        const score = Number(legs[leg]);
        const width = best[leg] ? Math.max(4, Math.round((score / best[leg]!) * 100)) : 4;
        return (
          <span class="leg" title={t(`ask.leg-${leg}-why`)}>
            <span>{t(`ask.leg-${leg}`)}</span>
            <span class={`leg-bar ${leg}`} aria-hidden="true">
              <span style={{ width: `${width}%` }} />
            </span>
            <span class="leg-score">{number(Math.round(score * 1000) / 1000)}</span>
          </span>
        );
      })}
    </span>
  );
}

const hitUrl = (id: string, kind: string): string | null => (kind === "fact" || kind === "candidate" ? factUrl(id) : null);

function HitCard({ hit, place, fresh, best }: { hit: Hit; place: number; fresh: boolean; best: Record<string, number> }) {
  const url = hitUrl(hit.id, hit.kind);
  const said = <Said text={hit.text} most={900} />;
  return (
    <li class={`card hit ${fresh ? "fresh" : ""}`}>
      <span class="hit-place" aria-hidden="true">
        {place}
      </span>
      <div class="stack tight">
        {url ? (
          <a class="fact-text" href={url}>
            {said}
          </a>
        ) : (
          <div class="hit-raw">{said}</div>
        )}
        {hit.was && (
          <p class="small muted">
            {t("ask.was")} <Said text={hit.was} most={300} />
          </p>
        )}
        {hit.now && (
          <p class="small">
            {t("ask.holds-now")} <Said text={hit.now} most={300} />
          </p>
        )}
        <div class="fact-line">
          <span>{t(`ask.kind-${hit.kind}`)}</span>
          {hit.entity && <a href={entityUrl(hit.entity)}>{hit.entity}</a>}
          {hit.date && <span>{dayOrMonth(hit.date)}</span>}
          <Place of={hit} />
          {hit.tier && <Tier of={hit.tier} />}
          {hit.trust && hit.trust !== "trusted" && <Trust of={hit.trust} />}
          {hit.state && <span class="state">{t(`parts.status-${hit.state}`)}</span>}
          <Overdue since={hit.overdue_since} />
          {fresh && <span class="state active">{t("ask.only-here")}</span>}
        </div>
        {hit.legs && <LegScores legs={hit.legs} best={best} />}
      </div>
    </li>
  );
}

// Where it was read: a note by its line, a conversation by its name, of which the path of the transcript tells less.
function Place({ of }: { of: Hit }) {
  const isOurs = of.path && !/^([/~\\]|[A-Za-z]:)/.test(of.path);
  if (isOurs) return <Said text={of.lines ? `${of.path}:${of.lines}` : of.path!} most={120} class="mono" />;
  if (!of.source) return null;
  return (
    <span title={of.path ?? undefined}>
      <Said text={inShort(of.source)} most={120} />
    </span>
  );
}

function Weights({ weights, named }: { weights: Record<string, number>; named: string[] }) {
  return (
    <p class="small muted">
      {t("ask.weights")}{" "}
      {Object.entries(weights)
        .map(([leg, weight]) => `${has(`ask.leg-${leg}`) ? t(`ask.leg-${leg}`) : leg} ${number(weight)}`)
        .join(", ")}
      {named.length > 0 && (
        <>
          {". "}
          {t("ask.named")}{" "}
          {named.map((one) => (
            <a href={entityUrl(one)}>{one} </a>
          ))}
        </>
      )}
    </p>
  );
}

function LeftOut({ dropped, best }: { dropped: Dropped[]; best: Record<string, number> }) {
  const groups = new Map<string, Dropped[]>();
  for (const one of dropped) groups.set(one.exit, [...(groups.get(one.exit) ?? []), one]);
  if (!dropped.length) return null;
  return (
    <section class="stack tight" aria-label={t("ask.left-out")}>
      <h3>
        {t("ask.left-out")} <span class="count">{number(dropped.length)}</span>
      </h3>
      {[...groups].map(([exit, found]) => (
        <Exit key={exit} exit={exit} found={found} best={best} />
      ))}
    </section>
  );
}

function Exit({ exit, found, best }: { exit: string; found: Dropped[]; best: Record<string, number> }) {
  const [open, setOpen] = useState(false);
  const [most, setMost] = useState(SHOWN_OF_EXIT);
  return (
    <details class="exit" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span>{has(`ask.exit-${exit}`) ? t(`ask.exit-${exit}`) : exit}</span>
        <span class="count">{number(found.length)}</span>
      </summary>
      {open && (
        <>
          <ul role="list" class="stack tight">
            {found.slice(0, most).map((one) => (
              <li key={one.id} class="stack tight dropped">
                {one.known ? (
                  hitUrl(one.id, one.known.kind) ? (
                    <a class="fact-text small" href={factUrl(one.id)}>
                      <Said text={one.known.text} most={300} />
                    </a>
                  ) : (
                    <span class="small">
                      <Said text={one.known.text} most={300} />
                    </span>
                  )
                ) : (
                  <span class="small muted">{t("ask.private")}</span>
                )}
                <div class="fact-line">
                  {one.known && <span>{t(`ask.kind-${one.known.kind}`)}</span>}
                  {one.known?.entity && <span>{one.known.entity}</span>}
                  {one.known?.date && <span>{dayOrMonth(one.known.date)}</span>}
                  <LegScores legs={one.legs} best={best} />
                </div>
              </li>
            ))}
          </ul>
          {found.length > most && (
            <button type="button" class="button small" onClick={() => setMost(most + 40)}>
              {t("entity.more", { n: found.length - most })}
            </button>
          )}
        </>
      )}
    </details>
  );
}
