import { useGet } from "../api";
import { ago, number, t, time } from "../i18n";
import { Status } from "../parts/Badges";
import { Said } from "../parts/Said";
import { Empty, Shown } from "../parts/States";
import { useListKeys } from "../parts/list";
import { entityUrl, factUrl, go, query, setQuery } from "../router";
import { inShort } from "../sessions";
import "./sessions.css";

interface Session {
  name: string;
  platform: string | null;
  id: string | null;
  kind: "personal" | "group" | null;
  project: string | null;
  created_at: string;
  turns: number;
  quarantined: number;
  began_at: string | null;
  last_at: string | null;
  facts: number;
}

interface Turn {
  id: string;
  ordinal: number;
  speaker: string | null;
  at: string | null;
  text: string;
  chars: number; // of the whole text, of which a very long one is cut
  path: string | null;
  redactions: string[];
  outcome: Outcome;
  facts: { id: string; text: string; entity: string; status: string; category: string }[];
}

interface Opened {
  session: Session;
  counts: Record<Outcome, number>;
  turns: Turn[];
  next: number | null;
}

const OUTCOMES = ["facts", "nothing", "unread", "quarantined"] as const;
type Outcome = (typeof OUTCOMES)[number];
const BADGE: Record<Outcome, string> = { facts: "good", nothing: "", unread: "warn", quarantined: "quarantined" };
const MOST_SHOWN = 600; // characters of one turn before it has to be unfolded

export default function Sessions({ rest }: { rest: string }) {
  return rest ? <One name={rest} /> : <All />;
}

function All() {
  const found = useGet<{ sessions: Session[] }>("sessions");
  const wanted = (query.value.get("q") ?? "").toLowerCase();
  useListKeys();
  return (
    <div class="page sessions">
      <header class="row apart">
        <div class="stack tight">
          <h1>{t("shell.sessions")}</h1>
          <p class="muted">{t("sessions.lead")}</p>
        </div>
        <input
          type="search"
          class="field filter"
          aria-label={t("sessions.filter")}
          placeholder={t("sessions.filter")}
          value={query.value.get("q") ?? ""}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
      </header>
      <Shown of={found}>
        {({ sessions }) => {
          const shown = sessions.filter((one) => `${one.name} ${one.project ?? ""} ${one.platform ?? ""}`.toLowerCase().includes(wanted));
          if (!sessions.length)
            return (
              <Empty title={t("sessions.none")}>
                <span>{t("sessions.none-how")}</span>
                <code>engram capture --discover</code>
              </Empty>
            );
          if (!shown.length) return <Empty title={t("sessions.none-fits")} />;
          return <Table sessions={shown} />;
        }}
      </Shown>
    </div>
  );
}

function Table({ sessions }: { sessions: Session[] }) {
  const shown = sessions.slice(0, 500);
  return (
    <div class="stack tight">
      <p class="small muted" aria-live="polite">{t("sessions.count", { n: sessions.length })}</p>
      <ul role="list" class="list">
        {shown.map((one) => (
          <li key={one.name} class="line">
            <a data-row href={`/sessions/${encodeURI(one.name)}`} class="name">
              <span title={one.name}>
                <Said text={inShort(one.name)} />
              </span>
            </a>
            <span class="row small muted">
              {one.platform && <Said text={one.platform} />}
              {one.kind && <span class="badge warn">{t(`sessions.kind-${one.kind}`)}</span>}
              {one.project && <a href={entityUrl(one.project)}>{one.project}</a>}
              {one.quarantined > 0 && <span class="badge quarantined">{t("sessions.held", { n: one.quarantined })}</span>}
            </span>
            <span class="figures small">
              <span>{t("sessions.turns", { n: one.turns })}</span>
              <span class={one.facts ? "good" : "muted"}>{t("sessions.facts", { n: one.facts })}</span>
              <time class="muted" dateTime={one.last_at ?? one.created_at}>
                {ago(one.last_at ?? one.created_at)}
              </time>
            </span>
          </li>
        ))}
      </ul>
      {shown.length < sessions.length && <p class="muted">{t("sessions.more", { n: sessions.length - shown.length })}</p>}
    </div>
  );
}

function One({ name }: { name: string }) {
  const outcome = query.value.get("outcome") ?? "";
  const since = query.value.get("since") ?? "";
  const found = useGet<Opened>(`sessions/${name}`, { outcome, since });
  const later = () => {
    if (found.data?.next != null) setQuery({ since: String(found.data.next) }, { replace: false });
  };
  const before = () => history.length > 1 && since && history.back();
  useListKeys([
    { key: "n", label: t("sessions.later"), run: later },
    { key: "p", label: t("sessions.earlier"), run: () => void before() },
    ...["", ...OUTCOMES].map((one, place) => ({
      key: String(place),
      label: one ? t(`sessions.only-${one}`) : t("sessions.every"),
      run: () => setQuery({ outcome: one, since: null }),
    })),
    { key: "Backspace", label: t("sessions.back"), run: () => go("/sessions") },
  ]);
  return (
    <div class="page sessions">
      <p>
        <a href="/sessions">← {t("shell.sessions")}</a>
      </p>
      <Shown of={found}>
        {(data) => (
          <>
            <header class="stack tight">
              <h1>
                <span title={data.session.name}>
                  <Said text={inShort(data.session.name)} />
                </span>
              </h1>
              <div class="row small muted">
                {data.session.platform && <Said text={data.session.platform} />}
                {data.session.kind && <span class="badge warn">{t(`sessions.kind-${data.session.kind}`)}</span>}
                {data.session.project && <a href={entityUrl(data.session.project)}>{data.session.project}</a>}
                {data.session.began_at && (
                  <span>
                    {time(data.session.began_at)} – {time(data.session.last_at)}
                  </span>
                )}
              </div>
            </header>
            <Filter counts={data.counts} outcome={outcome} />
            {data.turns.length ? (
              <ol role="list" class="turns">
                {data.turns.map((one) => (
                  <TurnLine turn={one} key={one.id} />
                ))}
              </ol>
            ) : (
              <Empty title={t(outcome ? "sessions.none-so" : "sessions.silent")} />
            )}
            <nav class="row" aria-label={t("sessions.parts")}>
              {since && (
                <button type="button" class="button" onClick={() => setQuery({ since: null })}>
                  {t("sessions.first")}
                </button>
              )}
              {data.next !== null && (
                <button type="button" class="button" onClick={later}>
                  {t("sessions.later")} <kbd>n</kbd>
                </button>
              )}
            </nav>
          </>
        )}
      </Shown>
    </div>
  );
}

function Filter({ counts, outcome }: { counts: Opened["counts"]; outcome: string }) {
  const every = OUTCOMES.reduce((sum, one) => sum + counts[one], 0);
  return (
    <div class="row filter-row" role="group" aria-label={t("sessions.became")}>
      <button type="button" class="button small" aria-pressed={outcome === ""} onClick={() => setQuery({ outcome: null, since: null })}>
        {t("sessions.every")} <span class="muted">{number(every)}</span>
      </button>
      {OUTCOMES.map((one) => (
        <button type="button" class="button small" aria-pressed={outcome === one} onClick={() => setQuery({ outcome: one, since: null })}>
          <span class={`badge ${BADGE[one]}`}>{t(`sessions.only-${one}`)}</span> <span class="muted">{number(counts[one])}</span>
        </button>
      ))}
    </div>
  );
}

function TurnLine({ turn }: { turn: Turn }) {
  const isLong = turn.text.length > MOST_SHOWN;
  return (
    <li class={`turn ${turn.outcome}`}>
      <div class="words stack tight">
        <div class="row small muted">
          <strong>
            <Said text={turn.speaker ?? t("sessions.somebody")} most={80} />
          </strong>
          {turn.at && <time dateTime={turn.at}>{time(turn.at)}</time>}
          {turn.redactions.length > 0 && <span class="badge warn">{t("sessions.redacted", { n: turn.redactions.length })}</span>}
        </div>
        {isLong ? (
          <details>
            <summary>
              <Said text={turn.text} most={MOST_SHOWN} />
            </summary>
            <Said text={turn.text.slice(MOST_SHOWN)} most={20000} />
            {turn.chars > turn.text.length && <span class="muted"> … +{number(turn.chars - turn.text.length)}</span>}
          </details>
        ) : (
          <Said text={turn.text} />
        )}
      </div>
      <div class="became stack tight">
        <span class={turn.outcome === "nothing" ? "muted" : `badge ${BADGE[turn.outcome]}`}>{t(`sessions.was-${turn.outcome}`)}</span>
        {turn.facts.map((one) => (
          <a data-row href={factUrl(one.id)} class={one.status === "active" ? "" : "gone"} key={one.id}>
            <Said text={one.text} most={300} />
            {one.status !== "active" && (
              <>
                {" "}
                <Status of={one.status} />
              </>
            )}
          </a>
        ))}
      </div>
    </li>
  );
}
