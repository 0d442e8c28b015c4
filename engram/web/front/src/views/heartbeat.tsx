import { useEffect } from "preact/hooks";
import { type Loaded, useGet } from "../api";
import { ago, number, seconds, t, time } from "../i18n";
import { running } from "../live";
import { runHeartbeat } from "../parts/heartbeat";
import { Said } from "../parts/Said";
import { phrase } from "../phrases";
import { Empty, Shown } from "../parts/States";
import { useListKeys } from "../parts/list";
import { factUrl, go, query, setQuery } from "../router";
import "./heartbeat.css";

interface Model {
  by: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

interface Phase {
  phase: string;
  status: string;
  summary: string;
  stats: Record<string, unknown>;
  alerts: string[];
  duration_s?: number;
  model?: Model;
}

interface Run {
  run_id: string;
  status: string;
  started_at: string;
  finished_at?: string;
  took_s: number | null;
  phases: Phase[];
  alerts: string[];
  notices?: string[];
}

interface Now extends Run {
  phase: string | null;
  ahead: string[];
}

interface Spent {
  day?: string;
  phase?: string;
  calls: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
}

interface Overview {
  standing: {
    running: boolean;
    last_tick: string | null;
    schedule: { every: string; with: string } | null;
    overdue: boolean;
    why: string;
    next_due: string | null;
    failed: { phase: string; why: string }[];
    agent: (Model & { daily_tokens: number; daily_cost: number; why_not: string }) | null;
  };
  now: Now | null;
  runs: Run[];
  more: number;
  alerts: { phase: string; text: string; first_at: string }[];
  marks: { consumer: string; count: number; marks: { key: string; value: string }[] }[];
  cost: { days: Spent[]; phases: Spent[] };
  trouble: string;
}

interface Opened extends Run {
  facts: { id: string; text: string; entity: string; outcome: string; status: string }[];
  outcomes: Record<string, number>;
  more_facts: number;
}

const LOOKS_MS = 1500; // between two looks while a run goes on: its phases are told by its record, not by the store

function useWhileRunning(of: Loaded<unknown>): void {
  useEffect(() => {
    if (!running.value) return;
    const timer = setInterval(of.again, LOOKS_MS);
    return () => clearInterval(timer);
  });
}

export default function Heartbeat({ rest }: { rest: string }) {
  return rest ? <RunPage id={rest} /> : <All />;
}

function All() {
  const most = query.value.get("most") ?? "";
  const found = useGet<Overview>("heartbeat", { most });
  useWhileRunning(found);
  useEffect(() => found.again(), [running.value]);
  useListKeys();
  return (
    <div class="page heartbeat">
      <header class="row apart">
        <div class="stack tight">
          <h1>{t("shell.heartbeat")}</h1>
          <p class="muted">{t("heartbeat.lead")}</p>
        </div>
        {found.data && !running.value && (
          <button type="button" class="button" onClick={runHeartbeat}>
            {t("shell.run-heartbeat")} <kbd>H</kbd>
          </button>
        )}
      </header>
      <Shown of={found}>
        {(data) => (
          <>
            <Standing data={data} />
            {data.trouble && !running.value && (
              <p class="card problem">
                {t("heartbeat.trouble")} <Said text={phrase(data.trouble)} most={1000} />
              </p>
            )}
            {data.now && <Going now={data.now} />}
            {data.alerts.length > 0 && <Alerts alerts={data.alerts} />}
            <Runs runs={data.runs} more={data.more} />
            <Costs cost={data.cost} agent={data.standing.agent} />
            <Marks marks={data.marks} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Standing({ data }: { data: Overview }) {
  const { standing } = data;
  const cells: [string, string, string?][] = [
    [t("heartbeat.last"), standing.last_tick ? ago(standing.last_tick) : t("heartbeat.never")],
    [t("heartbeat.next"), standing.next_due ? (standing.overdue ? t("heartbeat.overdue") : ago(standing.next_due)) : t("heartbeat.nobody"), standing.overdue ? "warn" : ""],
    [t("heartbeat.called"), standing.schedule ? t("heartbeat.every", { every: standing.schedule.every, by: standing.schedule.with }) : t("heartbeat.by-hand")],
    [t("heartbeat.alerts"), number(data.alerts.length), data.alerts.length ? "warn" : ""],
  ];
  return (
    <section class="stack tight" aria-label={t("heartbeat.standing")}>
      <dl class="cells">
        {cells.map(([name, value, kind]) => (
          <div class={`card ${kind ?? ""}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {!standing.schedule && (
        <p class="small muted">
          {t("heartbeat.install")} <code>engram heartbeat install</code>
        </p>
      )}
      {standing.failed.map((one) => (
        <p class="banner">
          {t("heartbeat.failed", { phase: phaseName(one.phase) })} <Said text={phrase(one.why)} most={400} />
        </p>
      ))}
    </section>
  );
}

function Going({ now }: { now: Now }) {
  return (
    <section class="card going stack" aria-live="polite" aria-labelledby="going">
      <div class="row apart">
        <h2 id="going">{t("heartbeat.going")}</h2>
        <a href={`/heartbeat/${now.run_id}`} class="small">
          {t("heartbeat.begun", { since: ago(now.started_at) })}
        </a>
      </div>
      <ol class="steps" role="list">
        {now.phases.map((one) => (
          <li>
            <Status of={one.status} /> <strong>{phaseName(one.phase)}</strong> <Said text={phrase(one.summary)} most={160} class="muted small" />
          </li>
        ))}
        {now.phase && (
          <li>
            <span class="badge good pulse">{t("heartbeat.runs-now")}</span> <strong>{phaseName(now.phase)}</strong>
          </li>
        )}
        {now.ahead.map((one) => (
          <li class="muted">
            <span class="badge">{t("heartbeat.ahead")}</span> {phaseName(one)}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Alerts({ alerts }: { alerts: Overview["alerts"] }) {
  return (
    <section class="stack tight" aria-labelledby="alerts">
      <h2 id="alerts">{t("heartbeat.alerts-stand")}</h2>
      <ul role="list" class="stack tight">
        {alerts.map((one) => (
          <li class="card alert">
            <Said text={phrase(one.text)} most={1000} />
            <div class="small muted">
              {phaseName(one.phase)} · {t("heartbeat.since", { when: time(one.first_at) })}
            </div>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Runs({ runs, more }: { runs: Run[]; more: number }) {
  if (!runs.length)
    return (
      <Empty title={t("heartbeat.no-runs")}>
        <span>{t("heartbeat.no-runs-how")}</span>
        <code>engram heartbeat run</code>
      </Empty>
    );
  const longest = Math.max(...runs.map((one) => one.took_s ?? 0), 0.001);
  return (
    <section class="stack tight" aria-labelledby="runs">
      <h2 id="runs">{t("heartbeat.runs")}</h2>
      <Legend />
      <div class="scroll">
        <table class="runs">
          <thead>
            <tr>
              <th scope="col">{t("heartbeat.began")}</th>
              <th scope="col">{t("heartbeat.outcome")}</th>
              <th scope="col">{t("heartbeat.took")}</th>
              <th scope="col">{t("heartbeat.done")}</th>
            </tr>
          </thead>
          <tbody>
            {runs.map((one) => (
              <tr key={one.run_id}>
                <td>
                  <a data-row href={`/heartbeat/${one.run_id}`}>
                    {time(one.started_at)}
                  </a>
                </td>
                <td>
                  <Status of={one.status} />
                </td>
                <td>
                  <Took run={one} longest={longest} />
                </td>
                <td>
                  <Done run={one} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 && (
        <div>
          <button type="button" class="button small" onClick={() => setQuery({ most: "200" })}>
            {t("heartbeat.more", { n: more })}
          </button>
        </div>
      )}
    </section>
  );
}

const PHASES = ["extraction", "synthesis", "domain-scan", "domain-spawn", "maintenance", "review"];

function Legend() {
  return (
    <div class="row small muted legend" aria-hidden="true">
      {PHASES.map((one) => (
        <span class={`key of-${one}`}>{phaseName(one)}</span>
      ))}
    </div>
  );
}

function Took({ run, longest }: { run: Run; longest: number }) {
  if (run.took_s === null) return <span class="muted">{t("heartbeat.not-over")}</span>;
  let from = 0;
  return (
    <div class="took">
      <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
        {run.phases.map((one) => {
          const width = (100 * (one.duration_s ?? 0)) / longest;
          const bar = <rect class={`of-${one.phase}`} x={from} y="0" width={Math.max(width, 0.4)} height="8" />;
          from += width;
          return bar;
        })}
      </svg>
      <span class="small">{seconds(run.took_s)}</span>
    </div>
  );
}

function Done({ run }: { run: Run }) {
  const done = run.phases.filter((one) => one.status !== "skipped");
  if (!done.length && !run.alerts.length) return <span class="muted">{t("heartbeat.nothing-new")}</span>;
  return (
    <ul role="list" class="done">
      {done.map((one) => (
        <li>
          <span class="small muted">{phaseName(one.phase)}</span> <Said text={phrase(one.summary)} most={200} />
        </li>
      ))}
      {run.alerts.map((one) => (
        <li>
          <span class="badge warn">{t("heartbeat.alert")}</span> <Said text={phrase(one)} most={200} />
        </li>
      ))}
    </ul>
  );
}

function Costs({ cost, agent }: { cost: Overview["cost"]; agent: Overview["standing"]["agent"] }) {
  return (
    <section class="stack tight" aria-labelledby="cost">
      <h2 id="cost">{t("heartbeat.cost")}</h2>
      {agent && (
        <p>
          {t("heartbeat.today", { by: agent.by, calls: agent.calls, tokens: agent.input_tokens + agent.output_tokens, cost: money(agent.cost_usd) })}
          {agent.why_not && <Said text={` ${phrase(agent.why_not)}`} class="muted" />}
        </p>
      )}
      {cost.days.length ? (
        <div class="two">
          <Spending rows={cost.days} head={t("heartbeat.day")} name={(one) => one.day ?? ""} />
          <Spending rows={cost.phases} head={t("heartbeat.phase")} name={(one) => phaseName(one.phase ?? "")} />
        </div>
      ) : (
        <p class="muted">{t("heartbeat.no-cost")}</p>
      )}
    </section>
  );
}

function Spending({ rows, head, name }: { rows: Spent[]; head: string; name: (one: Spent) => string }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{head}</th>
            <th scope="col" class="number">{t("heartbeat.calls")}</th>
            <th scope="col" class="number">{t("heartbeat.tokens")}</th>
            <th scope="col" class="number">{t("heartbeat.money")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map((one) => (
            <tr>
              <td>{name(one)}</td>
              <td class="number">{number(one.calls)}</td>
              <td class="number">{number(one.input_tokens + one.output_tokens)}</td>
              <td class="number">{money(one.cost_usd)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Marks({ marks }: { marks: Overview["marks"] }) {
  if (!marks.length) return null;
  return (
    <section class="stack tight" aria-labelledby="marks">
      <h2 id="marks">{t("heartbeat.marks")}</h2>
      <p class="muted">{t("heartbeat.marks-lead")}</p>
      {marks.map((one) => (
        <details class="card">
          <summary>
            <strong>{one.consumer}</strong> <span class="muted">{t("heartbeat.keys", { n: one.count })}</span>
          </summary>
          <div class="scroll">
            <table class="small">
              <tbody>
                {one.marks.map((mark) => (
                  <tr>
                    <td class="mono">
                      <Said text={mark.key} most={200} />
                    </td>
                    <td class="mono">
                      <Said text={mark.value} most={200} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </details>
      ))}
    </section>
  );
}

function RunPage({ id }: { id: string }) {
  const found = useGet<Opened>(`heartbeat/${id}`);
  useWhileRunning(found);
  useListKeys([{ key: "Backspace", label: t("heartbeat.back"), run: () => go("/heartbeat") }]);
  return (
    <div class="page heartbeat">
      <p>
        <a href="/heartbeat">← {t("shell.heartbeat")}</a>
      </p>
      <Shown of={found}>
        {(run) => (
          <>
            <header class="stack tight">
              <h1>{t("heartbeat.run-of", { when: time(run.started_at) })}</h1>
              <div class="row muted">
                <Status of={run.status} />
                {run.took_s !== null && <span>{seconds(run.took_s)}</span>}
                <span class="mono small">{run.run_id}</span>
              </div>
            </header>
            {[...(run.notices ?? []), ...run.alerts].map((one) => (
              <p class="banner">
                <Said text={phrase(one)} most={1000} />
              </p>
            ))}
            <Phases run={run} />
            <Wrote run={run} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Phases({ run }: { run: Opened }) {
  const longest = Math.max(...run.phases.map((one) => one.duration_s ?? 0), 0.001);
  return (
    <section class="stack tight" aria-labelledby="phases">
      <h2 id="phases">{t("heartbeat.phases")}</h2>
      <ol role="list" class="stack tight">
        {run.phases.map((one) => (
          <li class="card phase stack tight">
            <div class="row apart">
              <h3>{phaseName(one.phase)}</h3>
              <span class="row small">
                <Status of={one.status} />
                {one.duration_s !== undefined && seconds(one.duration_s)}
              </span>
            </div>
            <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
              <rect class={`of-${one.phase}`} x="0" y="0" width={Math.max((100 * (one.duration_s ?? 0)) / longest, 0.4)} height="4" />
            </svg>
            <Said text={phrase(one.summary)} most={600} />
            <Stats stats={one.stats} />
            {one.model && (
              <p class="small">
                {t("heartbeat.asked", { by: one.model.by, n: one.model.calls, tokens: one.model.input_tokens + one.model.output_tokens, cost: money(one.model.cost_usd) })}
              </p>
            )}
            {one.alerts.map((alert) => (
              <div>
                <span class="badge warn">{t("heartbeat.alert")}</span> <Said text={phrase(alert)} most={600} />
              </div>
            ))}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Stats({ stats }: { stats: Record<string, unknown> }) {
  const told = Object.entries(stats).filter(([, value]) => typeof value === "number" && value !== 0);
  if (!told.length) return null;
  return (
    <dl class="stats small">
      {told.map(([name, value]) => (
        <div>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{number(value as number)}</dd>
        </div>
      ))}
    </dl>
  );
}

const MOST_FACTS = 40; // of a run that are shown before somebody asks for all

function Wrote({ run }: { run: Opened }) {
  const all = query.value.get("all") === "1";
  const shown = all ? run.facts : run.facts.slice(0, MOST_FACTS);
  return (
    <section class="stack tight" aria-labelledby="wrote">
      <h2 id="wrote">{t("heartbeat.wrote")}</h2>
      {run.facts.length ? (
        <ul role="list" class="lines">
          {shown.map((one) => (
            <li>
              <span class={`badge ${one.outcome === "tension" || one.outcome === "quarantined" ? "warn" : one.outcome === "confirmed" ? "" : "good"}`}>
                {t(`heartbeat.was-${one.outcome}`)}
              </span>
              <a data-row href={factUrl(one.id)}>
                <Said text={one.text} most={300} />
              </a>
              <span class="small muted">{one.entity}</span>
            </li>
          ))}
        </ul>
      ) : (
        <p class="muted">{t("heartbeat.wrote-nothing")}</p>
      )}
      {shown.length < run.facts.length && (
        <div>
          <button type="button" class="button small" onClick={() => setQuery({ all: "1" })}>
            {t("heartbeat.more", { n: run.facts.length - shown.length })}
          </button>
        </div>
      )}
      {all && run.more_facts > 0 && <p class="muted">{t("heartbeat.more-facts", { n: run.more_facts })}</p>}
    </section>
  );
}

const KIND: Record<string, string> = { ok: "good", running: "good", ok_with_warnings: "warn", warning: "warn", failed: "bad", timed_out: "bad" };

function Status({ of }: { of: string }) {
  return <span class={`badge ${KIND[of] ?? ""} ${of === "running" ? "pulse" : ""}`}>{t(`heartbeat.status-${of}`)}</span>;
}

const phaseName = (name: string): string => (PHASES.includes(name) || name === "run" ? t(`heartbeat.phase-${name}`) : name);
const money = (dollars: number): string => `$${dollars.toFixed(dollars && dollars < 0.1 ? 4 : 2)}`;
