import { useGet } from "../api";
import { day, number, t, time } from "../i18n";
import { useKeys } from "../keys";
import { change } from "../parts/Change";
import { type Fact } from "../parts/fact";
import { FactRow, useFactKeys } from "../parts/FactRow";
import { Lanes } from "../parts/Lanes";
import { Said } from "../parts/Said";
import { Empty, Shown } from "../parts/States";
import { phrase } from "../phrases";
import { entityUrl, factUrl, go, query, setQuery } from "../router";
import "./entity.css";

interface Relation {
  entity: string;
  title: string;
  facts: number;
  relations: { type: string; shown: string; from: string; to: string }[];
  shown: { id: string; text: string; about: string }[];
}
interface Waiting {
  id: string;
  kind: string;
  text: string;
  goes?: string;
  stays?: string;
}
interface Entity {
  entity: { path: string; title: string; aliases: string[]; created_at: string; archived_from: string | null };
  is_owner: boolean;
  counts: Record<string, number>;
  now: string;
  summary: { shelf: string; ids: string[] }[];
  facts: Fact[];
  left: number;
  relations: Relation[];
  waiting: Waiting[];
  merged: string | null; // who was merged into it last, and can be split off again
}

const LIVE = ["active", "planned", "ended"];
const TIERS = ["hot", "warm", "cold"];
const PAGE = 40;
const RELATIONS = 12;

export default function EntityView({ rest }: { rest: string }) {
  const entity = useGet<Entity>(`entity/${rest}`);
  return (
    <div class="page entity">
      <Shown of={entity}>{(data) => <Page data={data} />}</Shown>
    </div>
  );
}

function Page({ data }: { data: Entity }) {
  const by = Object.fromEntries(data.facts.map((one) => [one.id, one]));
  const chosen = query.value.get("fact");
  const choose = (id: string) => id !== chosen && setQuery({ fact: id });
  const inSummary = data.summary.flatMap((shelf) => shelf.ids.map((id) => by[id]!));
  const list = filtered(data.facts, inSummary);
  const most = Number(query.value.get("most")) || PAGE;
  const shown = list.slice(0, most);
  useFactKeys([...inSummary, ...shown], chosen, choose);
  const row = (fact: Fact) => (
    <FactRow key={fact.id} fact={fact} sure chosen={fact.id === chosen} choose={() => choose(fact.id)} />
  );
  return (
    <>
      <Head data={data} />
      {data.waiting.length > 0 && <Proposals waiting={data.waiting} />}
      {data.facts.length === 0 && <Empty title={t("entity.empty")} />}
      {data.summary.length > 0 && (
        <section class="stack" aria-labelledby="summary">
          <h2 id="summary">{t("entity.summary")}</h2>
          <div class="card shelves">
            {data.summary.map((shelf) => (
              <div key={shelf.shelf} class="shelf">
                <h3>{t(`entity.shelf-${slug(shelf.shelf)}`)}</h3>
                <ul role="list">{shelf.ids.map((id) => row(by[id]!))}</ul>
              </div>
            ))}
          </div>
        </section>
      )}
      {data.facts.length > 0 && (
        <section class="stack" aria-labelledby="times">
          <h2 id="times">{t("entity.timeline")}</h2>
          <Lanes facts={data.facts} now={data.now} />
        </section>
      )}
      {data.relations.length > 0 && <Relations all={data.relations} path={data.entity.path} />}
      {data.facts.length > 0 && (
        <section class="stack" aria-labelledby="facts">
          <Filters facts={data.facts} found={list.length} />
          <div class="card">
            {shown.length === 0 ? (
              <p class="muted">{t(isFiltered() ? "entity.none-match" : "entity.all-above")}</p>
            ) : (
              <ul role="list">
                {shown.map((fact) => (
                  <li key={fact.id} class="chain">
                    <ul role="list">{row(fact)}</ul>
                    {fact.version > 1 && isLiveEnd(fact) && <Chain of={fact} all={data.facts} />}
                  </li>
                ))}
              </ul>
            )}
          </div>
          <div class="row">
            {list.length > shown.length && (
              <button type="button" class="button" onClick={() => setQuery({ most: String(most + 5 * PAGE) })}>
                {t("entity.more", { n: list.length - shown.length })}
              </button>
            )}
            {data.left > 0 && <span class="muted small">{t("entity.left", { n: data.left })}</span>}
          </div>
        </section>
      )}
    </>
  );
}

const slug = (title: string): string => title.toLowerCase().replace(/ /g, "-");
const isLiveEnd = (fact: Fact): boolean => LIVE.includes(fact.status);

const isFiltered = (): boolean => ["status", "tier", "q", "lane"].some((name) => query.value.get(name)?.trim());

// The facts that the list shows: those of the tier, the state and the words that the address names.
function filtered(facts: Fact[], summary: Fact[]): Fact[] {
  const status = query.value.get("status") ?? "live";
  const tier = query.value.get("tier");
  const words = (query.value.get("q") ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  const lane = query.value.get("lane");
  const first = new Set(isFiltered() ? [] : summary.map((one) => one.id));
  return facts
    .filter((one) => !first.has(one.id))
    .filter((one) => status === "all" || (status === "live" ? LIVE.includes(one.status) : one.status === status))
    .filter((one) => !tier || one.tier === tier)
    .filter((one) => !lane || (one.attribute ?? one.category) === lane)
    .filter((one) => words.every((word) => one.text.toLowerCase().includes(word)))
    .sort((one, other) => tierOf(one) - tierOf(other) || other.valid_from.localeCompare(one.valid_from));
}

const tierOf = (fact: Fact): number => TIERS.indexOf(fact.tier);

function Head({ data }: { data: Entity }) {
  const { entity } = data;
  const count = (...states: string[]) => states.reduce((sum, one) => sum + (data.counts[one] ?? 0), 0);
  const gone = count("superseded", "retracted");
  const unsure = count("candidate", "pending");
  const kind = entity.path.split("/")[0]!;
  const args = { path: entity.path };
  const split = () => splitOff(data);
  useKeys([
    { key: "g n", label: t("entity.to-graph"), run: () => go(`/graph?entity=${encodeURIComponent(entity.path)}`) },
    ...(data.facts.length ? [{ key: "s", label: t("entity.split"), run: split }] : []),
    ...(data.merged ? [{ key: "S", label: t("entity.apart"), run: () => letApart(data) }] : []),
  ]);
  return (
    <header class="stack tight">
      <div class="row">
        <span class={`kind ${kind}`}>{kind}</span>
        {data.is_owner && <span class="state active">{t("today.you")}</span>}
        {entity.archived_from && <span class="state">{t("entity.archived")}</span>}
      </div>
      <h1>
        <Said text={entity.title} most={200} />
      </h1>
      <p class="muted small entity-line">
        <span class="mono">{entity.path}</span>
        <span>{t("entity.facts", { n: count(...LIVE) })}</span>
        {unsure > 0 && <span>{t("entity.unsure", { n: unsure })}</span>}
        {gone > 0 && <span>{t("entity.gone", { n: gone })}</span>}
        <span title={time(entity.created_at)}>{t("entity.since", { at: day(entity.created_at) })}</span>
        {entity.aliases.length > 0 && (
          <span>
            {t("entity.aliases")} <Said text={entity.aliases.join(", ")} most={200} />
          </span>
        )}
      </p>
      <div class="row">
        <button
          type="button"
          class="button small"
          onClick={() =>
            change({
              verb: "write",
              title: t("entity.write"),
              args: { entity: entity.path },
              fields: [{ name: "text", label: t("entity.write-what"), long: true }],
            })
          }
        >
          {t("entity.write")}
        </button>
        <button
          type="button"
          class="button small"
          onClick={() =>
            change({
              verb: "entity-alias",
              title: t("entity.alias"),
              args,
              fields: [{ name: "alias", label: t("entity.alias-what") }],
            })
          }
        >
          {t("entity.alias")}
        </button>
        {data.facts.length > 0 && (
          <button type="button" class="button small" onClick={split}>
            {t("entity.split")} <kbd>s</kbd>
          </button>
        )}
        {data.merged && (
          <button type="button" class="button small" onClick={() => letApart(data)}>
            {t("entity.apart")} <kbd>S</kbd>
          </button>
        )}
        <a class="button small" href={`/graph?entity=${encodeURIComponent(entity.path)}`}>
          {t("entity.to-graph")}
        </a>
      </div>
    </header>
  );
}

// Some facts are about somebody else: they go to an entity of their own, with all their versions.
function splitOff({ entity, facts }: Entity): void {
  const latest = facts.filter((one) => isLiveEnd(one) || one.status === "candidate" || one.status === "pending");
  change({
    verb: "entity-split",
    title: t("entity.split-title", { name: entity.title }),
    args: { path: entity.path },
    fields: [
      { name: "to", label: t("entity.split-to") },
      {
        name: "facts",
        label: t("entity.split-facts"),
        many: true,
        options: latest.map((one) => ({ value: one.id, label: one.text })),
      },
    ],
    done: (result) => result.id && go(entityUrl(result.id)),
  });
}

function letApart({ entity, merged }: Entity): void {
  change({
    verb: "entity-split",
    title: t("entity.apart-title", { goes: merged ?? "", stays: entity.path }),
    args: { path: entity.path },
    undo: { verb: "undo", args: (done) => ({ id: done.command_id }) },
  });
}

function Proposals({ waiting }: { waiting: Waiting[] }) {
  return (
    <section class="card stack tight proposals" aria-labelledby="proposals">
      <h2 id="proposals">{t("entity.waits")}</h2>
      <ul role="list" class="stack tight">
        {waiting.slice(0, 8).map((one) => (
          <li class="proposal">
            <span class="proposal-text">
              <span class="state pending">{t(`entity.kind-${one.kind}`)}</span> <Said text={one.text} most={500} />
            </span>
            <span class="row">
              {one.kind === "names" && one.goes && one.stays && (
                <button
                  type="button"
                  class="button small"
                  onClick={() =>
                    change({
                      verb: "entity-merge",
                      title: t("entity.merge", { goes: one.goes!, stays: one.stays! }),
                      args: { source: one.goes, into: one.stays },
                    })
                  }
                >
                  {t("entity.they-are-one")}
                </button>
              )}
              <a class="button small" href={`/review?id=${encodeURIComponent(one.id)}`}>
                {t("today.to-review")}
              </a>
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Relations({ all, path }: { all: Relation[]; path: string }) {
  const more = query.value.has("relations");
  const shown = more ? all : all.slice(0, RELATIONS);
  return (
    <section class="stack" aria-labelledby="relations">
      <h2 id="relations">
        {t("entity.relations")} <span class="count">{number(all.length)}</span>
      </h2>
      <ul role="list" class="relations">
        {shown.map((one) => (
          <li key={one.entity} class="card stack tight">
            <div class="row apart">
              <a href={entityUrl(one.entity)}>
                <Said text={one.title} most={80} />
              </a>
              <span class="muted small">{t("entity.joined", { n: one.facts })}</span>
            </div>
            {one.relations.length > 0 && (
              <span class="small relation-type">
                {one.relations.map((said) => `${said.from === path ? "→" : "←"} ${phrase(said.shown)}`).join(" · ")}
              </span>
            )}
            {one.shown.slice(0, 2).map((fact) => (
              <a class="small relation-fact" href={factUrl(fact.id)}>
                {fact.about === path ? "→ " : "← "}
                <Said text={fact.text} most={160} />
              </a>
            ))}
          </li>
        ))}
      </ul>
      {shown.length < all.length && (
        <div>
          <button type="button" class="button" onClick={() => setQuery({ relations: "all" })}>
            {t("entity.more", { n: all.length - shown.length })}
          </button>
        </div>
      )}
    </section>
  );
}

// What the fact replaced, back to the first version; the whole of it stands on the fact's own page.
function Chain({ of, all }: { of: Fact; all: Fact[] }) {
  const former = all
    .filter((one) => one.lineage === of.lineage && one.version < of.version)
    .sort((one, other) => other.version - one.version);
  if (!former.length) return null;
  return (
    <details class="former">
      <summary class="small">{t("entity.replaced", { n: former.length })}</summary>
      <ol role="list">
        {former.map((one) => (
          <li class="small">
            <time class="muted" dateTime={one.valid_from}>
              {day(one.valid_from)}
            </time>{" "}
            <a href={factUrl(one.id)}>
              <Said text={one.text} most={300} />
            </a>
          </li>
        ))}
      </ol>
    </details>
  );
}

function Filters({ facts, found }: { facts: Fact[]; found: number }) {
  const states = ["live", "all", ...new Set(facts.map((one) => one.status).filter((one) => one !== "active"))];
  const count = (tier: string) => facts.filter((one) => LIVE.includes(one.status) && one.tier === tier).length;
  const tier = query.value.get("tier");
  return (
    <div class="row apart">
      <h2 id="facts">
        {t("entity.all-facts")} <span class="count">{number(found)}</span>
      </h2>
      <div class="row">
        {TIERS.filter(count).map((one) => (
          <button
            type="button"
            class={`button small ${tier === one ? "pressed" : ""}`}
            aria-pressed={tier === one}
            onClick={() => setQuery({ tier: tier === one ? null : one })}
          >
            <span class={`badge ${one}`}>{t(`parts.tier-${one}`)}</span> {number(count(one))}
          </button>
        ))}
        <select
          aria-label={t("entity.status")}
          value={query.value.get("status") ?? "live"}
          onChange={(event) => setQuery({ status: event.currentTarget.value === "live" ? null : event.currentTarget.value })}
        >
          {states.map((one) => (
            <option value={one}>{one === "live" || one === "all" ? t(`entity.status-${one}`) : t(`parts.status-${one}`)}</option>
          ))}
        </select>
        <input
          type="search"
          class="field search"
          aria-label={t("entity.search")}
          placeholder={t("entity.search")}
          value={query.value.get("q") ?? ""}
          onInput={(event) => setQuery({ q: event.currentTarget.value })}
        />
        {query.value.get("lane") && (
          <button type="button" class="button small pressed" onClick={() => setQuery({ lane: null })}>
            {query.value.get("lane")} ✕
          </button>
        )}
      </div>
    </div>
  );
}
