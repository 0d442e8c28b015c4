import { useGet } from "../api";
import { ago, day, t, time } from "../i18n";
import { change } from "../parts/Change";
import { Said } from "../parts/Said";
import { Empty, Shown } from "../parts/States";
import { useListKeys } from "../parts/list";
import { entityUrl, go } from "../router";
import "./domains.css";

interface Domain {
  name: string;
  type: string;
  state: "live" | "due" | "stale" | "archived";
  entity: string | null;
  description: string;
  bindings: string[];
  cadence_s: number;
  created_at: string;
  active_at: string;
  proposals: number;
  path: string;
}

interface Proposal {
  id: string;
  text: string;
  file: string;
  found_at: string;
  status: "open" | "accepted" | "rejected";
  decided_at: string | null;
  note: string | null;
}

interface Opened extends Domain {
  files: Record<string, string>;
  changelog: { at: string; text: string }[];
  more_entries: number;
  archives: string[];
  waiting: Proposal[];
  decided: Proposal[];
}

export default function Domains({ rest }: { rest: string }) {
  return rest ? <One name={rest} /> : <All />;
}

function All() {
  const found = useGet<{ domains: Domain[] }>("domains");
  useListKeys();
  return (
    <div class="page domains">
      <header class="stack tight">
        <h1>{t("shell.domains")}</h1>
        <p class="muted">{t("domains.lead")}</p>
      </header>
      <Shown of={found}>
        {({ domains }) =>
          domains.length ? (
            <ul role="list" class="grid">
              {domains.map((one) => (
                <li class="card stack tight" key={one.name}>
                  <div class="row apart">
                    <h2>
                      <a data-row href={`/domains/${one.name}`}>
                        {one.name}
                      </a>
                    </h2>
                    <State of={one.state} />
                  </div>
                  {one.description && <Said text={one.description} most={300} />}
                  <div class="row small muted">
                    <span>{t(`domains.type-${one.type}`)}</span>
                    <span>{t("domains.active", { when: ago(one.active_at) })}</span>
                    {one.proposals > 0 && <span class="badge warn">{t("domains.wait", { n: one.proposals })}</span>}
                  </div>
                </li>
              ))}
            </ul>
          ) : (
            <Empty title={t("domains.none")}>
              <span>{t("domains.none-how")}</span>
              <code>engram domain add nightly-backup --type cron-task</code>
            </Empty>
          )
        }
      </Shown>
    </div>
  );
}

function One({ name }: { name: string }) {
  const found = useGet<Opened>(`domains/${name}`);
  const first = found.data?.waiting[0];
  const decide = (one: Proposal, outcome: "accept" | "reject") =>
    change({
      verb: "domain-decide",
      title: t(`domains.${outcome}`),
      args: { id: one.id, outcome },
      fields: [{ name: "note", label: t("domains.why"), optional: true }],
      done: found.again,
    });
  useListKeys([
    { key: "Backspace", label: t("domains.back"), run: () => go("/domains") },
    ...(first
      ? [
          { key: "y", label: t("domains.accept"), run: () => decide(first, "accept") },
          { key: "x", label: t("domains.reject"), run: () => decide(first, "reject") },
        ]
      : []),
  ]);
  return (
    <div class="page domains">
      <p>
        <a href="/domains">← {t("shell.domains")}</a>
      </p>
      <Shown of={found}>
        {(data) => (
          <>
            <header class="stack tight">
              <div class="row">
                <h1>{data.name}</h1>
                <State of={data.state} />
              </div>
              {data.description && <Said text={data.description} />}
              <div class="row small muted">
                <span>{t(`domains.type-${data.type}`)}</span>
                {data.entity && <a href={entityUrl(data.entity)}>{data.entity}</a>}
                <span>{t("domains.active", { when: ago(data.active_at) })}</span>
                <span>{cadence(data.cadence_s)}</span>
                <span class="mono">{data.path}</span>
                {data.bindings.map((one) => (
                  <Said text={one} class="mono" most={120} />
                ))}
              </div>
            </header>
            <Proposals data={data} decide={decide} />
            <div class="columns">
              <Changelog data={data} />
              <div class="stack">
                <File name="status.md" title={t("domains.status")} text={data.files["status.md"]} />
                <File name="decisions.md" title={t("domains.decisions")} text={data.files["decisions.md"]} />
                <File name="workflow.md" title={t("domains.workflow")} text={data.files["workflow.md"]} />
              </div>
            </div>
          </>
        )}
      </Shown>
    </div>
  );
}

function Proposals({ data, decide }: { data: Opened; decide: (one: Proposal, outcome: "accept" | "reject") => void }) {
  if (!data.waiting.length && !data.decided.length) return null;
  return (
    <section class="stack tight" aria-labelledby="proposals">
      <h2 id="proposals">{t("domains.proposals")}</h2>
      <ul role="list" class="stack tight">
        {data.waiting.map((one, place) => (
          <li class="card stack tight waiting" key={one.id}>
            <Said text={one.text} />
            <div class="row apart">
              <span class="small muted">
                {one.file} · {day(one.found_at)}
              </span>
              <span class="row">
                <button type="button" class="button small" onClick={() => decide(one, "accept")}>
                  {t("domains.accept")} {place === 0 && <kbd>y</kbd>}
                </button>
                <button type="button" class="button small" onClick={() => decide(one, "reject")}>
                  {t("domains.reject")} {place === 0 && <kbd>x</kbd>}
                </button>
              </span>
            </div>
          </li>
        ))}
      </ul>
      {data.decided.length > 0 && (
        <details>
          <summary>{t("domains.decided", { n: data.decided.length })}</summary>
          <ul role="list" class="decided">
            {data.decided.map((one) => (
              <li key={one.id}>
                <span class={`badge ${one.status === "accepted" ? "good" : ""}`}>{t(`domains.was-${one.status}`)}</span>
                <Said text={one.text} />
                {one.note && <Said text={`(${one.note})`} class="muted" />}
                <span class="small muted">{day(one.decided_at)}</span>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

function Changelog({ data }: { data: Opened }) {
  return (
    <section class="stack tight" aria-labelledby="changelog">
      <h2 id="changelog">{t("domains.changelog")}</h2>
      {data.changelog.length ? (
        <ol role="list" class="log">
          {data.changelog.map((one) => (
            <li>
              <time class="small muted" dateTime={one.at || undefined}>
                {one.at ? time(one.at) : t("domains.undated")}
              </time>
              <Said text={one.text} most={2000} />
            </li>
          ))}
        </ol>
      ) : (
        <p class="muted">
          {t("domains.no-changes")} <code>engram domain log {data.name} "…"</code>
        </p>
      )}
      {data.more_entries > 0 && <p class="small muted">{t("domains.more-entries", { n: data.more_entries })}</p>}
      {data.archives.length > 0 && <p class="small muted">{t("domains.archives", { n: data.archives.length })}</p>}
    </section>
  );
}

function File({ name, title, text }: { name: string; title: string; text: string | undefined }) {
  const body = (text ?? "").replace(/^# .*\n*/, "").replace(/<!--.*?-->\n?/gs, "").trim(); // comments are Engram's own marks
  return (
    <section class="stack tight" aria-label={title}>
      <h2>{title}</h2>
      {body ? <pre class="file"><Said text={body} most={8000} /></pre> : <p class="small muted">{t("domains.empty-file", { file: name })}</p>}
    </section>
  );
}

const KIND = { live: "good", due: "warn", stale: "bad", archived: "" };

function State({ of }: { of: Domain["state"] }) {
  return <span class={`badge ${KIND[of]}`}>{t(`domains.state-${of}`)}</span>;
}

function cadence(seconds: number): string {
  const hours = Math.max(1, Math.round(seconds / 3600));
  return hours >= 48 && hours % 24 === 0 ? t("domains.cadence-days", { n: hours / 24 }) : t("domains.cadence", { n: hours });
}
