import { useEffect } from "preact/hooks";
import { type Problem, get, useGet } from "../api";
import { ago, day, number, percent, seconds, t } from "../i18n";
import { useKeys } from "../keys";
import { change } from "../parts/Change";
import { Said } from "../parts/Said";
import { phrase } from "../phrases";
import { Empty, Shown, Trouble } from "../parts/States";
import "./health.css";

interface Finding {
  code: string;
  level: "error" | "warning" | "info";
  path: string;
  message: string;
  command: string;
  fixed: boolean;
}

interface Doctor {
  running: boolean;
  fix?: boolean;
  began_at: string | null;
  check?: string;
  done?: number;
  total?: number;
  took_s?: number;
  findings?: Finding[];
  error?: Problem;
  plan: { does: string; findings: { code: string; path: string }[] }[];
}

interface Week {
  begins_on: string;
  facts: number;
  ended: number;
  entities: number;
  turns: number;
  notes: number;
}

interface Figures<Row> {
  engram: string;
  measured_on: string;
  command: string;
  rows: Row[];
}

interface CrashRow {
  fault: string;
  work: string;
  trials: number;
  broken: number;
}

interface AttackRow {
  half: string;
  is_attack: boolean;
  door: string;
  by_person: boolean; // a person's own hand: what they type is theirs to say
  texts: number;
  trusted: number;
  in_block: number;
  instructions: number;
  unmarked: number;
  found: number;
}

interface Health {
  standing: {
    entities: number;
    facts: Record<string, number>;
    sessions: number;
    turns: number;
    note_entries: number;
    spool: { waiting: number; rejected: number };
    journal_position: number;
    database_lag: number;
    index_lag: number;
    mirror_lag: number;
    embeddings: string;
    unembedded: number;
  };
  weeks: Week[];
  figures: { crash: Figures<CrashRow> | null; attack: Figures<AttackRow> | null };
  version: string;
}

const LOOKS_MS = 600; // between two looks while doctor looks

export default function HealthView() {
  const found = useGet<Health>("health");
  return (
    <div class="page health">
      <header class="stack tight">
        <h1>{t("shell.health")}</h1>
        <p class="muted">{t("health.lead")}</p>
      </header>
      <Shown of={found}>
        {(data) => (
          <>
            <Lag data={data} />
            <DoctorPart />
            <Growth weeks={data.weeks} />
            <Crash figures={data.figures.crash} version={data.version} />
            <Attack figures={data.figures.attack} version={data.version} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Lag({ data }: { data: Health }) {
  const { standing } = data;
  const behind = (records: number) => (records > 0 ? t("health.behind", { n: records }) : t("health.current"));
  const cells: [string, string, boolean][] = [
    [t("health.journal"), number(standing.journal_position), false],
    [t("health.database"), behind(standing.database_lag), standing.database_lag > 0],
    [t("health.index"), behind(standing.index_lag), standing.index_lag > 0],
    [t("health.mirror"), behind(standing.mirror_lag), standing.mirror_lag > 0],
    [t("health.waiting"), number(standing.spool.waiting), standing.spool.rejected > 0],
    [t("health.unembedded"), number(standing.unembedded), standing.unembedded > 0],
  ];
  const isBehind = standing.index_lag > 0 || standing.mirror_lag > 0 || standing.database_lag > 0;
  return (
    <section class="stack tight" aria-labelledby="lag">
      <h2 id="lag">{t("health.standing")}</h2>
      <dl class="cells">
        {cells.map(([name, value, warns]) => (
          <div class={`card ${warns ? "warn" : ""}`}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Embeddings said={standing.embeddings} />
      {isBehind && (
        <p class="small muted">
          {t("health.catch-up")} <code>engram heartbeat run</code>
        </p>
      )}
    </section>
  );
}

function DoctorPart() {
  const found = useGet<Doctor>("health/doctor", {}, { live: false });
  const doctor = found.data;
  const busy = doctor?.running ?? false;
  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(found.again, LOOKS_MS);
    return () => clearTimeout(timer);
  });
  const begin = () => {
    if (!busy) void get("health/doctor", { begin: "1" }).finally(found.again);
  };
  const mend = () => change({ verb: "doctor-fix", title: t("health.mend-title"), args: {}, done: found.again });
  const canMend = !busy && (doctor?.plan.length ?? 0) > 0;
  useKeys([
    { key: "d", label: t("health.look"), run: begin },
    ...(canMend ? [{ key: "f", label: t("health.mend"), run: mend }] : []),
  ]);
  return (
    <section class="stack" aria-labelledby="doctor">
      <div class="row apart">
        <div class="stack tight">
          <h2 id="doctor">{t("health.doctor")}</h2>
          <p class="small muted">{t("health.doctor-lead")}</p>
        </div>
        <div class="row">
          {canMend && (
            <button type="button" class="button" onClick={mend}>
              {t("health.mend")} <kbd>f</kbd>
            </button>
          )}
          <button type="button" class="button primary" disabled={busy} onClick={begin}>
            {t(doctor?.findings ? "health.look-again" : "health.look")} <kbd>d</kbd>
          </button>
        </div>
      </div>
      {found.problem && <Trouble problem={found.problem} again={found.again} />}
      {doctor && <Looking doctor={doctor} />}
      {doctor && !busy && doctor.error && <Trouble problem={doctor.error} again={begin} />}
      {doctor && !busy && doctor.findings && <Findings doctor={doctor} />}
    </section>
  );
}

function Looking({ doctor }: { doctor: Doctor }) {
  if (!doctor.running) return null;
  return (
    <div class="card stack tight">
      <label for="looking">
        {t(doctor.fix ? "health.mending" : "health.looking", { what: doctor.check ?? "…" })}
      </label>
      <progress id="looking" max={doctor.total || 1} value={doctor.total ? doctor.done : undefined} />
      <span class="small muted">
        {doctor.total ? t("health.of", { n: doctor.done ?? 0, total: doctor.total }) : ""} {doctor.began_at && ago(doctor.began_at)}
      </span>
    </div>
  );
}

const LEVEL = { error: "bad", warning: "warn", info: "" };

function Findings({ doctor }: { doctor: Doctor }) {
  const findings = doctor.findings ?? [];
  const took = t("health.looked", { when: ago(doctor.began_at), took: seconds(doctor.took_s ?? 0) });
  if (!findings.length)
    return (
      <Empty title={t("health.sound")}>
        <span>{took}</span>
      </Empty>
    );
  return (
    <div class="stack tight" aria-live="polite">
      <p class="small muted">
        {t("health.found", { n: findings.length })} · {took}
      </p>
      <ul role="list" class="stack tight">
        {findings.map((one) => (
          <li class={`card finding stack tight ${one.fixed ? "" : LEVEL[one.level]}`} key={`${one.code} ${one.path} ${one.message}`}>
            <div class="row">
              <span class={`badge ${one.fixed ? "good" : LEVEL[one.level]}`}>{one.fixed ? t("health.mended") : t(`health.level-${one.level}`)}</span>
              <span class="mono small">{one.code}</span>
              <Said text={one.path} most={200} class="mono small muted" />
            </div>
            <Said text={phrase(one.message)} most={1000} />
            {!one.fixed && (
              <div>
                <code class="command">{phrase(one.command)}</code>
              </div>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

const HIGH = 120;
const WIDE = 10;

const WEEK_MS = 7 * 86_400_000;
const LEAST_WEEKS = 12;
const MOST_WEEKS = 52;

// Every week up to the latest one, also those in which nothing came, so that the distances are those of time.
function filled(weeks: Week[]): Week[] {
  const known = new Map(weeks.map((one) => [one.begins_on, one]));
  const begin = (place: number) => new Date(`${weeks[place]?.begins_on}T00:00:00Z`).getTime();
  const last = begin(weeks.length - 1);
  const count = Math.min(MOST_WEEKS, Math.max(LEAST_WEEKS, Math.round((last - begin(0)) / WEEK_MS) + 1));
  return Array.from({ length: count }, (_, place) => {
    const begins_on = new Date(last - (count - 1 - place) * WEEK_MS).toISOString().slice(0, 10);
    return known.get(begins_on) ?? { begins_on, facts: 0, ended: 0, entities: 0, turns: 0, notes: 0 };
  });
}

function Growth({ weeks }: { weeks: Week[] }) {
  if (!weeks.some((one) => one.facts || one.ended || one.turns || one.notes)) return null;
  const shown = filled(weeks);
  const most = Math.max(...shown.map((one) => Math.max(one.facts, one.ended)), 1);
  const sum = (name: keyof Omit<Week, "begins_on">) => shown.reduce((all, one) => all + one[name], 0);
  const told = (one: Week) => t("health.week", { day: day(one.begins_on), facts: one.facts, ended: one.ended, turns: one.turns, notes: one.notes });
  return (
    <section class="stack tight" aria-labelledby="growth">
      <h2 id="growth">{t("health.growth")}</h2>
      <p class="small muted">{t("health.growth-lead", { facts: sum("facts"), ended: sum("ended"), turns: sum("turns"), notes: sum("notes"), n: shown.length })}</p>
      <figure class="card chart">
        <div class="row small muted">
          <span class="key came">{t("health.came")}</span>
          <span class="key went">{t("health.went")}</span>
          <span>{t("health.most", { n: most })}</span>
        </div>
        <svg viewBox={`0 0 ${shown.length * WIDE} ${HIGH}`} preserveAspectRatio="none" role="img" aria-label={t("health.growth")}>
          {shown.map((one, place) => (
            <g>
              <title>{told(one)}</title>
              <rect class="ground" x={place * WIDE} y="0" width={WIDE} height={HIGH} />
              <rect class="came" x={place * WIDE + 1} y={HIGH - (HIGH * one.facts) / most} width={WIDE - 5} height={(HIGH * one.facts) / most} />
              <rect class="went" x={place * WIDE + WIDE - 4} y={HIGH - (HIGH * one.ended) / most} width="3" height={(HIGH * one.ended) / most} />
            </g>
          ))}
        </svg>
        <figcaption class="row apart small muted">
          <span>{day(shown[0]?.begins_on)}</span>
          <span>{day(shown.at(-1)?.begins_on)}</span>
        </figcaption>
      </figure>
      <details>
        <summary>{t("health.as-table")}</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t("health.week-of")}</th>
                <th scope="col" class="number">{t("health.came")}</th>
                <th scope="col" class="number">{t("health.went")}</th>
                <th scope="col" class="number">{t("health.new-entities")}</th>
                <th scope="col" class="number">{t("health.turns")}</th>
                <th scope="col" class="number">{t("health.notes")}</th>
              </tr>
            </thead>
            <tbody>
              {[...weeks].reverse().map((one) => (
                <tr>
                  <td>{day(one.begins_on)}</td>
                  <td class="number">{number(one.facts)}</td>
                  <td class="number">{number(one.ended)}</td>
                  <td class="number">{number(one.entities)}</td>
                  <td class="number">{number(one.turns)}</td>
                  <td class="number">{number(one.notes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

// By which model meaning is compared; how it came here is there to be opened.
function Embeddings({ said }: { said: string }) {
  const model = /^([^\s@]+)\S* from /.exec(said)?.[1];
  const whole = <Said text={phrase(said)} most={300} />;
  if (!model)
    return (
      <p class="small muted">
        {t("health.embeddings")} {whole}
      </p>
    );
  return (
    <details class="small muted">
      <summary>
        {t("health.embeddings")} {model}
      </summary>
      {whole}
    </details>
  );
}

function Measured({ figures, version }: { figures: Figures<unknown>; version: string }) {
  return (
    <p class="small muted">
      {t("health.measured", { version: figures.engram, day: day(figures.measured_on) })} <code>{figures.command}</code>
      {figures.engram !== version && <> · {t("health.other-version", { version })}</>}
    </p>
  );
}

function Unmeasured({ title, command }: { title: string; command: string }) {
  return (
    <section class="stack tight">
      <h2>{title}</h2>
      <p class="muted">
        {t("health.unmeasured")} <code>{command}</code>
      </p>
    </section>
  );
}

function Crash({ figures, version }: { figures: Figures<CrashRow> | null; version: string }) {
  if (!figures) return <Unmeasured title={t("health.crash")} command="scripts/bench crash" />;
  const trials = figures.rows.reduce((sum, one) => sum + one.trials, 0);
  const broken = figures.rows.reduce((sum, one) => sum + one.broken, 0);
  return (
    <section class="stack tight" aria-labelledby="crash">
      <h2 id="crash">{t("health.crash")}</h2>
      <p>
        <strong class={broken ? "bad" : "good"}>{t("health.lost", { n: broken, trials })}</strong>
      </p>
      <Measured figures={figures} version={version} />
      <details>
        <summary>{t("health.by-fault")}</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">{t("health.fault")}</th>
                <th scope="col">{t("health.work")}</th>
                <th scope="col" class="number">{t("health.trials")}</th>
                <th scope="col" class="number">{t("health.broken")}</th>
              </tr>
            </thead>
            <tbody>
              {figures.rows.map((one) => (
                <tr>
                  <td>{phrase(one.fault)}</td>
                  <td>{phrase(one.work)}</td>
                  <td class="number">{number(one.trials)}</td>
                  <td class="number">{number(one.broken)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}

const COUNTED = ["trusted", "in_block", "instructions", "unmarked", "found"] as const;

function Attack({ figures, version }: { figures: Figures<AttackRow> | null; version: string }) {
  if (!figures) return <Unmeasured title={t("health.attack")} command="scripts/bench attack" />;
  const attacks = figures.rows.filter((one) => one.is_attack && !one.by_person);
  const sum = (name: (typeof COUNTED)[number] | "texts") => attacks.reduce((all, one) => all + one[name], 0);
  return (
    <section class="stack tight" aria-labelledby="attack">
      <h2 id="attack">{t("health.attack")}</h2>
      <p>
        <strong class={sum("instructions") ? "bad" : "good"}>
          {t("health.followed", { n: sum("instructions"), texts: sum("texts") })}
        </strong>
      </p>
      <Measured figures={figures} version={version} />
      {[true, false].map((isAttack) => (
        <details>
          <summary>{t(isAttack ? "health.attacks-by-door" : "health.harmless-by-door")}</summary>
          <div class="scroll">
            <table>
              <thead>
                <tr>
                  <th scope="col">{t("health.door")}</th>
                  <th scope="col">{t("health.half")}</th>
                  <th scope="col" class="number">{t("health.texts")}</th>
                  {COUNTED.map((name) => (
                    <th scope="col" class="number">{t(`health.counted-${name}`)}</th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {figures.rows
                  .filter((one) => one.is_attack === isAttack)
                  .map((one) => (
                    <tr>
                      <td>{phrase(one.door)}</td>
                      <td>{t(`health.half-${one.half}`)}</td>
                      <td class="number">{number(one.texts)}</td>
                      {COUNTED.map((name) => (
                        <td class="number">{one.texts ? percent(one[name] / one.texts) : "–"}</td>
                      ))}
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
