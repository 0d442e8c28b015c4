import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { useGet } from "../api";
import type { Meta } from "../app";
import { ago, day, has, number, t, time } from "../i18n";
import { useKeys } from "../keys";
import { type Fact } from "../parts/fact";
import { FactRow, useFactKeys } from "../parts/FactRow";
import { Said } from "../parts/Said";
import { phrase } from "../phrases";
import { Start, freshLines } from "../parts/Start";
import { Empty, Shown } from "../parts/States";
import { entityUrl, go, query, setQuery } from "../router";
import "./today.css";

interface Group {
  entity: string;
  title: string;
  facts: number;
  shown: Fact[];
}
interface Waiting {
  id: string;
  kind: string;
  text: string;
  why: string;
}
interface Run {
  run_id: string;
  status: string;
  started_at: string;
  finished_at: string | null;
  running: boolean;
  phases: { phase: string; status: string; summary: string }[];
  alerts: string[];
  more_alerts: number;
}
interface Owner {
  path: string;
  title: string;
  facts: number;
}
interface Today {
  position: number;
  now: string;
  known: { facts: number; entities: number; owner: Owner | null };
  learnt: { since: string; facts: number; entities: number; groups: Group[] };
  waiting: { counts: Record<string, number>; silent: number; first: Waiting[] };
  projects: { path: string; title: string; sessions: number }[];
  heartbeat: Run | null;
}

const PAUSE_MS = 30 * 60_000; // without the page, after which the next look is another one
const SPANS = { "1d": 1, "7d": 7, "30d": 30 } as const;
const DAY_MS = 86_400_000;
const FIRST_GROUPS = 4;
const FIRST_FACTS = 3; // of each but the first
const EVER = "2000-01-01";
const KINDS = ["tensions", "quarantined", "observations", "names", "candidates", "proposals"];

interface Look {
  since: string | null; // when the look before this one ended
  seen: string; // when this one was last on screen
}

// Since when things are new: since the look before this one. A pause makes another look of it.
function useLastLook(place: string): { since: string | null; catchUp: () => void } {
  const read = (): Look => {
    const now = new Date().toISOString();
    const kept = JSON.parse(localStorage.getItem(place) ?? "null") as Look | null;
    if (!kept) return { since: null, seen: now };
    return Date.now() - Date.parse(kept.seen) > PAUSE_MS ? { since: kept.seen, seen: now } : { ...kept, seen: now };
  };
  const [look, setLook] = useState(read);
  const keep = (one: Look) => localStorage.setItem(place, JSON.stringify(one));
  useEffect(() => {
    keep(look);
    const still = () => document.visibilityState === "visible" && keep({ ...look, seen: new Date().toISOString() });
    const later = setInterval(still, 60_000);
    return () => clearInterval(later);
  }, [look]);
  const catchUp = () => setLook({ since: new Date().toISOString(), seen: new Date().toISOString() });
  return { since: look.since, catchUp };
}

export default function TodayView() {
  const meta = useGet<Meta>("meta", {}, { live: false });
  if (!meta.data)
    return (
      <div class="page today">
        <Shown of={meta}>{() => null}</Shown>
      </div>
    );
  const { name, reader } = meta.data;
  return <Page place={["engram.look", name, reader?.agent, reader?.session].filter(Boolean).join(" ")} />;
}

// `place` is where the last look is kept: for each memory, and each who reads it.
function Page({ place }: { place: string }) {
  const look = useLastLook(place);
  const span = query.value.get("since") ?? "";
  const since = useMemo(() => {
    if (span === "all") return EVER;
    const days = SPANS[span as keyof typeof SPANS];
    return days ? new Date(Date.now() - days * DAY_MS).toISOString() : look.since;
  }, [span, look.since]);
  const today = useGet<Today>("today", { since });
  const all = query.value.has("all");
  const groups = shortened(today.data?.learnt.groups ?? [], all);
  const facts = groups.flatMap((one) => one.shown);
  const chosen = query.value.get("fact");
  const choose = (id: string) => id !== query.value.get("fact") && setQuery({ fact: id });
  const start = useRef<HTMLElement>(null);
  const toStart = () => start.current?.scrollIntoView({ block: "start" });
  useFactKeys(facts, chosen, choose);
  useKeys([
    { key: "s", label: t("today.to-start"), run: toStart },
    ...(facts.length ? [{ key: "m", label: t("today.seen"), run: look.catchUp }] : []),
  ]);

  return (
    <div class="page today">
      <Shown of={today}>
        {(data) => (
          <>
            <Head known={data.known} />
            {data.known.facts === 0 ? (
              <Nothing />
            ) : (
              <div class="today-columns">
                <section class="stack" aria-labelledby="learnt">
                  <LearntHead data={data} span={span} first={!look.since} catchUp={look.catchUp} />
                  {groups.map((group) => (
                    <GroupCard key={group.entity} group={group} owner={data.known.owner} chosen={chosen} choose={choose} />
                  ))}
                  {data.learnt.facts === 0 && <NothingNew since={data.learnt.since} />}
                  <div class="row">
                    {groups.length < data.learnt.groups.length && (
                      <button type="button" class="button" onClick={() => setQuery({ all: "1" })}>
                        {t("today.show-all")}
                      </button>
                    )}
                    {data.learnt.entities > groups.length && (
                      <span class="muted small">{t("today.more-entities", { n: data.learnt.entities - groups.length })}</span>
                    )}
                  </div>
                </section>
                <aside class="stack" aria-label={t("today.beside")}>
                  <button type="button" class="button to-start" onClick={toStart}>
                    <span>
                      {t("today.to-start")}
                      {freshLines.value > 0 && <span class="fresh-lines">{t("start.fresh", { n: freshLines.value })}</span>}
                    </span>
                    <kbd>s</kbd>
                  </button>
                  <WaitingCard waiting={data.waiting} />
                  <HeartbeatCard run={data.heartbeat} />
                </aside>
              </div>
            )}
            <section ref={start} id="start" class="stack anchor" aria-labelledby="start-title">
              <Start projects={data.projects} large={data.known.facts > 20_000} />
            </section>
          </>
        )}
      </Shown>
    </div>
  );
}

// What a first look takes in: the first few whom something new is about, and of all but the first only the weightiest.
function shortened(groups: Group[], all: boolean): Group[] {
  if (all) return groups;
  return groups.slice(0, FIRST_GROUPS).map((one, place) => (place ? { ...one, shown: one.shown.slice(0, FIRST_FACTS) } : one));
}

function Head({ known }: { known: Today["known"] }) {
  return (
    <header class="stack tight">
      <h1>{t("today.title")}</h1>
      {known.facts > 0 && (
        <p class="lead">
          {t("today.knows-facts", { n: known.facts })} {t("today.knows-entities", { n: known.entities })}{" "}
          {known.owner && (
            <a href={entityUrl(known.owner.path)}>
              {known.owner.facts === 0
                ? t("today.about-you-nothing", { name: known.owner.title })
                : t("today.about-you", { n: known.owner.facts, name: known.owner.title })}
            </a>
          )}
        </p>
      )}
    </header>
  );
}

function Nothing() {
  return (
    <Empty title={t("today.empty")}>
      <p>{t("today.empty-why")}</p>
      <p>
        <code>engram setup</code> {t("today.empty-setup")}
      </p>
      <p>
        <code>engram write "..."</code> {t("today.empty-write")}
      </p>
    </Empty>
  );
}

function NothingNew({ since }: { since: string }) {
  return (
    <Empty title={t("today.no-news", { since: ago(since) })}>
      <div class="row">
        <a class="button small" href="/today?since=7d">
          {t("today.span-7d")}
        </a>
        <a class="button small" href="/today?since=all">
          {t("today.span-all")}
        </a>
      </div>
    </Empty>
  );
}

function LearntHead(props: { data: Today; span: string; first: boolean; catchUp: () => void }) {
  const { learnt } = props.data;
  const spans = ["", ...Object.keys(SPANS), "all"];
  return (
    <div class="stack tight">
      <div class="row apart">
        <h2 id="learnt">
          {t("today.learnt")} {learnt.facts > 0 && <span class="count">{number(learnt.facts)}</span>}
        </h2>
        <div class="row">
          <select
            aria-label={t("today.since")}
            value={props.span}
            onChange={(event) => setQuery({ since: event.currentTarget.value, fact: null })}
          >
            {spans.map((one) => (
              <option value={one}>{one ? t(`today.span-${one}`) : t(props.first ? "today.span-first" : "today.span-look")}</option>
            ))}
          </select>
          {learnt.facts > 0 && !props.span && (
            <button type="button" class="button" onClick={props.catchUp}>
              {t("today.seen")} <kbd>m</kbd>
            </button>
          )}
        </div>
      </div>
      {learnt.facts > 0 && <p class="muted small how">{t("today.how")}</p>}
    </div>
  );
}

function GroupCard(props: { group: Group; owner: Owner | null; chosen: string | null; choose: (id: string) => void }) {
  const { group, chosen } = props;
  const more = group.facts - group.shown.length;
  return (
    <article class="card stack tight" aria-label={group.title}>
      <div class="row apart">
        <h3>
          <a class="entity-link" href={entityUrl(group.entity)}>
            <Said text={group.title} most={120} />
          </a>{" "}
          {props.owner?.path === group.entity && <span class="state active">{t("today.you")}</span>}
        </h3>
        <span class="muted small">{t("today.new-facts", { n: group.facts })}</span>
      </div>
      <ul role="list">
        {group.shown.map((fact) => (
          <FactRow key={fact.id} fact={fact} chosen={fact.id === chosen} choose={() => props.choose(fact.id)} />
        ))}
      </ul>
      {more > 0 && (
        <a class="small" href={entityUrl(group.entity)}>
          {t("today.more-facts", { n: more })}
        </a>
      )}
    </article>
  );
}

function WaitingCard({ waiting }: { waiting: Today["waiting"] }) {
  const kinds = KINDS.filter((kind) => (waiting.counts[kind] ?? 0) > 0);
  return (
    <section class="card stack tight" aria-labelledby="waits">
      <h2 id="waits">{t("today.waits")}</h2>
      {kinds.length === 0 ? (
        <p class="muted">{t("today.waits-nothing")}</p>
      ) : (
        <>
          <ul role="list" class="kinds">
            {kinds.map((kind) => (
              <li>
                <span class="count">{number(waiting.counts[kind]!)}</span>
                <span>{t(`today.kind-${kind}`, { n: waiting.counts[kind]! })}</span>
              </li>
            ))}
          </ul>
          <ul role="list" class="stack tight">
            {waiting.first.map((one) => (
              <li>
                <a class="waits" href={`/review?id=${encodeURIComponent(one.id)}`}>
                  <Said text={phrase(one.text)} most={400} />
                </a>
              </li>
            ))}
          </ul>
          <div>
            <button type="button" class="button primary" onClick={() => go("/review")}>
              {t("today.to-review")}
            </button>
          </div>
        </>
      )}
      {waiting.silent > 0 && <p class="muted small">{t("today.silent", { n: waiting.silent })}</p>}
    </section>
  );
}

function HeartbeatCard({ run }: { run: Run | null }) {
  return (
    <section class="card stack tight" aria-labelledby="beat">
      <h2 id="beat">{t("today.heartbeat")}</h2>
      {run === null ? (
        <p class="muted">
          {t("today.no-heartbeat")} <code>engram heartbeat run</code>
        </p>
      ) : (
        <>
          <p title={time(run.started_at)}>
            <span class={`badge ${run.status === "ok" ? "good" : run.status === "failed" ? "bad" : "warn"}`}>
                {run.running ? t("today.run-running") : t(`today.run-${run.status}`)}
            </span>{" "}
            <span class="muted small">{ago(run.finished_at ?? run.started_at)}</span>
          </p>
          <ul role="list" class="phases">
            {run.phases
              .filter((one) => one.status !== "skipped")
              .map((one) => (
                <li>
                  <strong>{has(`today.phase-${one.phase}`) ? t(`today.phase-${one.phase}`) : one.phase}</strong> <Said text={phrase(one.summary)} most={200} />
                </li>
              ))}
          </ul>
          {run.alerts.map((one) => (
            <p class="small badge warn alert">
              <Said text={phrase(one)} most={300} />
            </p>
          ))}
          <a class="small" href="/heartbeat">
            {t("today.to-heartbeat", { at: day(run.started_at) })}
          </a>
        </>
      )}
    </section>
  );
}
