import type { ComponentChildren } from "preact";
import { useGet } from "../api";
import { ago, day, dayOrMonth, number, t, time } from "../i18n";
import { type Key, useKeys } from "../keys";
import { Confidence, Over, Overdue, RestsOnLess, Status, Tier, Trust } from "../parts/Badges";
import { type Fact, correct, forget, isLive, keep, pin, reject } from "../parts/fact";
import { Said } from "../parts/Said";
import { Source } from "../parts/Source";
import { Shown } from "../parts/States";
import { WordDiff } from "../parts/WordDiff";
import { phrase } from "../phrases";
import { entityUrl, factUrl, go } from "../router";
import { inShort } from "../sessions";
import "./fact.css";

interface Passage {
  state: string;
  path: string | null;
  line: number | null;
  speaker: string | null;
  at: string | null;
  before: string;
  quote: string | null;
  after: string;
}
type Version = Fact & { passage: Passage };
interface Short {
  id: string;
  text: string;
  status: string;
  holds?: boolean; // whether it still speaks for what was made of it
}
interface Promotion {
  by_use: { asked: number; questions: number; days: number; least: Record<string, number>; window_days: number; is_enough: boolean };
  by_repetition: { has: number; least: number; unit: "occasion" | "week"; to_be: "pattern" | "principle" | null };
  against: string[];
  proposed: { id: string; target: "memory" | "fact"; to_be: string; status: string; why: string | null }[];
}
interface FactPage {
  fact: string;
  title: string;
  versions: Version[];
  made_of: Short[];
  grounds: { parts: number; standing: number };
  derived: Short[];
  tensions: { id: string; kind: string; other: string; text: string }[];
  shown: {
    answers: number;
    doors: Record<string, number>;
    replies: number;
    used: number;
    latest: { at: string; door: string; session: string | null; words?: string | null }[];
  };
}

export default function FactView({ rest }: { rest: string }) {
  const page = useGet<FactPage>(`fact/${rest}`);
  return (
    <div class="page fact-page">
      <Shown of={page}>{(data) => <Page data={data} />}</Shown>
    </div>
  );
}

function Page({ data }: { data: FactPage }) {
  const fact = data.versions.find((one) => one.id === data.fact) ?? data.versions[0]!;
  const newest = data.versions[data.versions.length - 1]!;
  const back = () => go(entityUrl(fact.entity));
  const to = (id: string) => go(factUrl(id));
  const place = data.versions.indexOf(fact);
  const keys: Key[] = [
    { key: "b", label: t("fact.back", { name: data.title }), run: back },
    ...(place > 0 ? [{ key: "[", label: t("fact.older"), run: () => to(data.versions[place - 1]!.id) }] : []),
    ...(fact !== newest ? [{ key: "]", label: t("fact.newer"), run: () => to(data.versions[place + 1]!.id) }] : []),
  ];
  useKeys(keys);
  return (
    <>
      <Head data={data} fact={fact} newest={newest} />
      <div class="fact-columns">
        <div class="stack wide">
          <section class="stack" aria-labelledby="source">
            <h2 id="source">{t("fact.source")}</h2>
            <PassageCard of={fact.passage} fact={fact} />
          </section>
          <Versions all={data.versions} chosen={fact.id} />
          <Links title={t("fact.made-of")} id="made-of" all={data.made_of}>
            {data.grounds.standing < data.grounds.parts && (
              <p class="warned">{t("fact.rests-on-less", { n: data.grounds.standing, parts: number(data.grounds.parts) })}</p>
            )}
          </Links>
          <Links title={t("fact.derived")} id="derived" all={data.derived} none={t("fact.derived-none")} />
        </div>
        <aside class="stack" aria-label={t("fact.details")}>
          <Exposure of={data.shown} />
          <Proposed id={fact.id} />
          <Details fact={fact} title={data.title} />
        </aside>
      </div>
    </>
  );
}

function Head({ data, fact, newest }: { data: FactPage; fact: Version; newest: Version }) {
  return (
    <header class="stack tight">
      <p class="small">
        <a href={entityUrl(fact.entity)}>
          <Said text={data.title} most={120} />
        </a>{" "}
        <span class="muted">· {t(`parts.category-${fact.category}`)}</span>
      </p>
      <h1 class={`statement ${isLive(fact) ? "" : "gone"}`}>
        <Said text={fact.text} />
      </h1>
      <div class="fact-line">
        <Status of={fact.trust === "quarantined" ? "quarantined" : fact.status} />
        <Overdue since={fact.overdue_since} />
        <Over by={fact.outdated_by} />
        {fact.pinned && <span class="state pinned">{t("parts.pinned")}</span>}
        {isLive(fact) && <Tier of={fact.tier} />}
        <Trust of={fact.trust} />
        <Confidence of={fact.confidence} />
        <RestsOnLess of={data.grounds} />
        <Source of={fact.said} on={fact.valid_from} />
      </div>
      {fact.reason && !isLive(fact) && (
        <p class="muted">
          {t("fact.reason")} <Said text={fact.reason} most={400} />
        </p>
      )}
      {fact.id !== newest.id && (
        <p>
          {t("fact.replaced-by")}{" "}
          <a href={factUrl(newest.id)}>
            <Said text={newest.text} most={300} />
          </a>
        </p>
      )}
      {data.tensions.map((one) => (
        <p class="banner">
          {t("fact.tension")}{" "}
          <a href={factUrl(one.other)}>
            <Said text={one.text} most={300} />
          </a>{" "}
          · <a href={`/review?id=${encodeURIComponent(one.id)}`}>{t("today.to-review")}</a>
        </p>
      ))}
      <Actions fact={fact} />
    </header>
  );
}

function Actions({ fact }: { fact: Version }) {
  const live = isLive(fact);
  const toEntity = { done: () => go(entityUrl(fact.entity)) };
  const toNew = { done: (result: { id: string | null }) => result.id && go(factUrl(result.id)) };
  const all: (Key & { danger?: boolean })[] = [
    ...(live
      ? [
          { key: "c", label: t("parts.keep"), run: () => keep(fact) },
          { key: "e", label: t("parts.correct"), run: () => correct(fact, toNew) },
          { key: "x", label: t("parts.reject"), run: () => reject(fact) },
          { key: "p", label: t(fact.pinned ? "parts.unpin" : "parts.pin"), run: () => pin(fact) },
        ]
      : []),
    { key: "F", label: t("parts.forget"), run: () => forget(fact, toEntity), danger: true },
  ];
  useKeys(all);
  return (
    <div class="row fact-buttons">
      {all.map((one) => (
        <button type="button" class={`button small ${one.danger ? "danger" : ""}`} onClick={one.run}>
          {one.label} <kbd>{one.key}</kbd>
        </button>
      ))}
    </div>
  );
}

const GONE = ["changed", "missing", "moved", "private", "stated"];

function PassageCard({ of, fact }: { of: Passage; fact: Version }) {
  const where = [of.path, of.line].filter(Boolean).join(":");
  return (
    <figure class="card passage">
      <figcaption class="row apart small muted">
        <span>
          {of.speaker && (
            <>
              <strong>
                <Said text={of.speaker} most={80} />
              </strong>
              {" · "}
            </>
          )}
          {fact.source.turn && fact.source.session ? (
            <a href={`/sessions/${encodeURI(fact.source.session)}`} title={where}>
              {inShort(fact.source.session)}
            </a>
          ) : where ? <Said text={where} most={300} class="mono" /> : fact.said.label ? <Said text={fact.said.label} most={300} /> : null}
        </span>
        <span>{of.at ? time(of.at) : time(fact.recorded_at)}</span>
      </figcaption>
      {GONE.includes(of.state) && <p class={of.state === "changed" || of.state === "missing" ? "warned" : "muted"}>{t(`fact.state-${of.state}`)}</p>}
      {of.quote !== null && (
        <blockquote class="said" dir="auto">
          <Said text={of.before} />
          <mark>
            <Said text={of.quote} />
          </mark>
          <Said text={of.after} />
        </blockquote>
      )}
    </figure>
  );
}

function Versions({ all, chosen }: { all: Version[]; chosen: string }) {
  return (
    <section class="stack" aria-labelledby="versions">
      <h2 id="versions">
        {t("fact.versions")} <span class="count">{number(all.length)}</span>
      </h2>
      <ol role="list" class="versions">
        {[...all].reverse().map((one) => {
          const before = all[all.indexOf(one) - 1];
          return (
            <li key={one.id} class={`version ${one.id === chosen ? "chosen" : ""}`} aria-current={one.id === chosen ? "true" : undefined}>
              <div class="small muted">
                <time dateTime={one.recorded_at} title={time(one.recorded_at)}>
                  {t("fact.learnt", { at: day(one.recorded_at) })}
                </time>
              </div>
              <div class="stack tight">
                <a class="fact-text" href={factUrl(one.id)}>
                  {before ? <WordDiff was={before.text} now={one.text} /> : <Said text={one.text} />}
                </a>
                <div class="fact-line">
                  <Source of={one.said} on={one.valid_from} />
                  <Status of={one.status} />
                  {one.was_wrong && <span>{t("fact.was-wrong")}</span>}
                  {one.reason && <Said text={one.reason} most={200} />}
                </div>
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

function Links(props: { title: string; id: string; all: Short[]; none?: string; children?: ComponentChildren }) {
  const { title, id, all, none } = props;
  if (!all.length && !none) return null;
  return (
    <section class="stack tight" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {props.children}
      {all.length === 0 && <p class="muted">{none}</p>}
      <ul role="list" class="stack tight">
        {all.map((one) => (
          <li>
            <a href={factUrl(one.id)}>
              <Said text={one.text} most={300} />
            </a>{" "}
            {one.status !== "active" && <Status of={one.status} />} {one.holds === false && <span class="small warned">{t("fact.counts-no-longer")}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Exposure({ of }: { of: FactPage["shown"] }) {
  return (
    <section class="card stack tight" aria-labelledby="shown">
      <h2 id="shown">{t("fact.shown")}</h2>
      {of.answers === 0 && of.replies === 0 ? (
        <p class="muted">{t("fact.shown-nobody")}</p>
      ) : (
        <>
          <dl class="facts-dl">
            {Object.entries(of.doors).map(([door, n]) => (
              <>
                <dt>{t(`fact.door-${door}`)}</dt>
                <dd>{number(n)}</dd>
              </>
            ))}
          </dl>
          <p class={of.used ? "" : "muted"}>{of.replies ? t("fact.helped", { n: of.used, of: number(of.replies) }) : t("fact.helped-unknown")}</p>
          {of.latest.length > 0 && (
            <details>
              <summary class="small">{t("fact.shown-latest")}</summary>
              <ol role="list" class="small shown-rows">
                {of.latest.slice(0, 20).map((one) => (
                  <li>
                    <time dateTime={one.at} title={time(one.at)}>
                      {ago(one.at)}
                    </time>{" "}
                    {t(`fact.door-${one.door}`)} {one.session && <Said text={one.session} most={80} class="mono" />}{" "}
                    {one.words && <Said text={one.words} most={120} />}
                  </li>
                ))}
              </ol>
            </details>
          )}
        </>
      )}
    </section>
  );
}

// Whether it is proposed to be kept for good: what it has of what is enough, and what is in the way.
function Proposed({ id }: { id: string }) {
  const found = useGet<{ promotion: Promotion | null }>(`promotion/${id}`).data?.promotion;
  if (!found) return null;
  const { by_use: use, by_repetition: again, against, proposed } = found;
  const of = (name: "asked" | "questions" | "days") => t("fact.of-least", { has: number(use[name]), least: number(use.least[name]!) });
  return (
    <section class="card stack tight" aria-labelledby="proposed">
      <h2 id="proposed">{t("fact.proposed")}</h2>
      <p class="small muted">{t("fact.proposed-how", { n: use.window_days })}</p>
      <dl class="facts-dl">
        <dt>{t("fact.asked")}</dt>
        <dd>{of("asked")}</dd>
        <dt>{t("fact.questions")}</dt>
        <dd>{of("questions")}</dd>
        <dt>{t("fact.days")}</dt>
        <dd>{of("days")}</dd>
        {again.to_be && (
          <>
            <dt>{t(`fact.said-${again.unit}s`)}</dt>
            <dd>{t("fact.of-least", { has: number(again.has), least: number(again.least) })}</dd>
          </>
        )}
      </dl>
      {proposed.map((one) => (
        <p class="small">
          {t(`fact.proposed-${one.target === "memory" ? "memory" : one.to_be}`)}{" "}
          {one.status === "open" ? <a href="/review?kind=observation">{t("fact.became-open")}</a> : t(`fact.became-${one.status}`)}
          {one.why && (
            <>
              {" "}
              <Said text={phrase(one.why)} class="muted" />
            </>
          )}
        </p>
      ))}
      {against.map((why) => (
        <p class="small">
          {t("fact.in-the-way")} <Said text={phrase(why)} />
        </p>
      ))}
      {!proposed.length && !against.length && <p class="small">{t(use.is_enough ? "fact.proposed-next" : "fact.not-enough")}</p>}
    </section>
  );
}

function Details({ fact, title }: { fact: Version; title: string }) {
  const rows: [string, ComponentChildren][] = [
    ["about", <a href={entityUrl(fact.entity)}>{title}</a>],
    ["true-from", day(fact.valid_from)],
    ["true-to", fact.valid_to && !fact.due_on ? day(fact.valid_to) : ""],
    ["due-on", fact.due_on ? dayOrMonth(fact.due_on) : ""],
    ["learnt-on", time(fact.recorded_at)],
    ["believed-to", fact.known_to ? time(fact.known_to) : ""],
    ["slot", fact.attribute ? <Said text={`${fact.attribute} = ${fact.value ?? ""}`} most={200} /> : ""],
    ["used", fact.access_count ? t("fact.times", { n: fact.access_count }) : ""],
    ["confirmed", fact.confirm_count ? t("fact.times", { n: fact.confirm_count }) : ""],
    ["tags", fact.tags.join(", ")],
    ["joined", fact.related.length ? <Related paths={fact.related} /> : ""],
    ["private", fact.scope === "shared" ? "" : fact.scope],
    ["id", <span class="mono">{fact.id}</span>],
  ];
  return (
    <section class="card stack tight" aria-labelledby="details">
      <h2 id="details">{t("fact.details")}</h2>
      <dl class="facts-dl">
        {rows
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <>
              <dt>{t(`fact.${name}`)}</dt>
              <dd>{value}</dd>
            </>
          ))}
      </dl>
    </section>
  );
}

function Related({ paths }: { paths: string[] }) {
  return (
    <>
      {paths.map((path, place) => (
        <>
          {place > 0 && ", "}
          <a href={entityUrl(path)}>{path}</a>
        </>
      ))}
    </>
  );
}
