import { useRef } from "preact/hooks";
import { Refused, type Result, apply, useGet } from "../api";
import { day, t, time } from "../i18n";
import { type Key, useKeys } from "../keys";
import { Confidence, Trust } from "../parts/Badges";
import { type Field, change } from "../parts/Change";
import { Said, visible } from "../parts/Said";
import { phrase, refusal } from "../phrases";
import { Source, type SourceLine } from "../parts/Source";
import { Empty, Shown } from "../parts/States";
import { wordParts } from "../parts/words";
import { toast } from "../parts/Toasts";
import { entityUrl, factUrl, query, setQuery } from "../router";
import "./review.css";

interface Side {
  id: string;
  entity: string;
  text: string;
  date: string;
  recorded_at: string;
  status: string;
  trust: string;
  confidence: number;
  scope: string;
  source: string;
  said?: SourceLine;
  quote?: string | null;
}

interface Item {
  id: string;
  kind: "tension" | "quarantined" | "observation" | "names" | "candidate" | "proposal";
  text: string;
  why?: string | null;
  opened_at: string;
  sides: Side[];
  outcomes: Record<string, string>;
  stamp: string;
  seen?: number;
  entity?: string | null;
  goes?: string;
  stays?: string;
  domain?: string;
  file?: string;
  trust?: string;
  why_promoted?: string | null;
  suggestion?: { target?: string; text: string; entity?: string | null } | null;
}

interface Settled {
  id: string;
  subject: string;
  verdict: string;
  note: string | null;
  actor: string;
  at: string;
  undone_at: string | null;
}

interface Waits {
  items: Item[];
  left: number;
  more: number;
  waiting: Record<string, number>;
  settled: Settled[];
  daily_limit: number;
}

interface Choice {
  key: string;
  label: string;
  args: Record<string, unknown>;
  fields?: Field[];
  main?: boolean;
  danger?: boolean;
}

const KINDS = ["tension", "quarantined", "observation", "names", "candidate", "proposal"] as const;
const COUNTED = { tension: "tensions", quarantined: "quarantined", observation: "observations", names: "names", candidate: "candidates", proposal: "proposals" };

// What was decided in this tab, latest last, and how each of it is taken back.
const decided: { verb: string; id: string }[] = [];
const FOR_GOOD = { verb: "", id: "" }; // an answer to a proposal stays

function choices(item: Item): Choice[] {
  const [one, other] = item.sides;
  const both = [one, other].map((side, place) => ({ value: side?.id ?? "", label: `${place + 1}. ${side?.text ?? ""}` }));
  const say = (name: string) => t(`review.do-${name}`);
  switch (item.kind) {
    case "tension":
      return [
        { key: "1", label: say("keep-1"), args: { outcome: "supersede", keep: one?.id }, main: true },
        { key: "2", label: say("keep-2"), args: { outcome: "supersede", keep: other?.id }, main: true },
        { key: "b", label: say("both"), args: { outcome: "both-true" } },
        { key: "d", label: say("dissolve"), args: { outcome: "dissolve" } },
        { key: "m", label: say("merge"), args: { outcome: "merge" }, fields: [{ name: "text", label: t("review.both-in-one"), long: true }] },
        { key: "w", label: say("wrong"), args: { outcome: "wrong-source" }, fields: [{ name: "keep", label: t("review.which-is-right"), options: both }] },
      ];
    case "quarantined":
      return [
        { key: "x", label: say("dismiss-fact"), args: { outcome: "dismiss" }, main: true },
        { key: "r", label: say("release"), args: { outcome: "release" }, danger: true },
      ];
    case "names": {
      const paths = [item.stays ?? "", item.goes ?? ""].map((path) => ({ value: path, label: path }));
      return [
        { key: "m", label: say("one"), args: { outcome: "merge" }, main: true, fields: [{ name: "keep", label: t("review.which-stays"), options: paths }] },
        { key: "2", label: say("two"), args: { outcome: "two" }, main: true },
      ];
    }
    case "candidate":
      return [
        { key: "y", label: say("keep"), args: { outcome: "keep" }, main: true },
        { key: "x", label: say("reject"), args: { outcome: "reject" }, main: true },
      ];
    case "observation": {
      const placed = item.suggestion?.target === "memory" || item.suggestion?.entity || item.entity;
      const about: Field[] = placed ? [] : [{ name: "entity", label: t("review.about-whom") }];
      return [
        { key: "p", label: say("promote"), args: { outcome: "promote", create: true }, fields: about, main: true },
        { key: "x", label: say("dismiss"), args: { outcome: "dismiss" }, main: true },
        { key: "m", label: say("same"), args: { outcome: "merge" }, fields: [{ name: "keep", label: t("review.same-as") }] },
      ];
    }
    case "proposal": {
      const note: Field[] = [{ name: "note", label: t("review.why"), optional: true }];
      return [
        { key: "y", label: say("accept"), args: { outcome: "accept" }, fields: note, main: true },
        { key: "x", label: say("decline"), args: { outcome: "reject" }, fields: note, main: true },
      ];
    }
  }
}

function answer(item: Item, choice: Choice, again: () => void): void {
  const merges = item.kind === "names" && choice.args.outcome === "merge";
  const undo = merges
    ? { verb: "undo", args: (result: Result) => ({ id: result.command_id }) }
    : { verb: "review-undo", args: (result: Result) => ({ id: result.details.settlement }) };
  change({
    verb: item.kind === "proposal" ? "domain-decide" : "review-answer",
    title: choice.label,
    args: { id: item.id, ...choice.args },
    seen: item.stamp,
    fields: choice.fields ?? [],
    danger: choice.danger ?? false,
    done: (result) => {
      decided.push(item.kind === "proposal" ? FOR_GOOD : { verb: undo.verb, id: String(undo.args(result).id) });
      again();
    },
  });
}

export default function Review() {
  const kind = query.value.get("kind") ?? "";
  const all = query.value.get("all") ?? "";
  const skip = query.value.get("skip") ?? "";
  const id = query.value.get("id") ?? ""; // of what a link led to: it comes first
  const found = useGet<Waits>("review", { kind, all, skip, id });
  const item = found.data?.items[0];
  const open = item ? choices(item) : [];
  const turn = useRef(Promise.resolve());
  const latest = found.data?.settled.find((one) => !one.undone_at);

  async function takeBack(one?: Settled): Promise<void> {
    const what = (one ? undefined : decided.pop()) ?? { verb: "review-undo", id: (one ?? latest)?.id ?? "" };
    if (what === FOR_GOOD) return toast(t("review.for-good"), { bad: true });
    if (!what.id) return;
    try {
      await apply(what.verb, { id: what.id });
      toast(t("review.taken-back"));
    } catch (failed) {
      toast(failed instanceof Refused ? refusal(failed.problem).message : String(failed), { bad: true });
    }
    found.again();
  }
  // One after the other, however fast the key is pressed.
  const undo = (one?: Settled) => (turn.current = turn.current.then(() => takeBack(one)));

  const later = () => item && setQuery({ skip: [skip, item.id].filter(Boolean).join(",") });
  const keys: Key[] = item
    ? [
        ...open.map((one) => ({ key: one.key, label: one.label, run: () => answer(item, one, found.again) })),
        { key: "s", label: t("review.skip"), run: () => void later() },
      ]
    : [];
  useKeys([...keys, { key: "u", label: t("review.undo-latest"), run: () => void undo() }]);

  return (
    <div class="page review">
      <header class="row apart">
        <div class="stack tight">
          <h1>{t("shell.review")}</h1>
          <p class="muted">{t("review.lead")}</p>
        </div>
        <select aria-label={t("review.kind")} value={kind} onChange={(event) => setQuery({ kind: event.currentTarget.value, skip: null })}>
          <option value="">{t("review.every-kind")}</option>
          {KINDS.map((one) => (
            <option value={one}>
              {t(`review.kind-${one}`)} ({found.data?.waiting[COUNTED[one]] ?? 0})
            </option>
          ))}
        </select>
      </header>
      <Shown of={found}>
        {(data) => (
          <>
            <Left data={data} skip={skip} all={all} />
            {item ? (
              <One key={item.id} item={item} choices={open} choose={(one) => answer(item, one, found.again)} later={() => void later()} />
            ) : (
              <Nothing data={data} skip={skip} />
            )}
            <Lately settled={data.settled} undo={(one) => void undo(one)} />
          </>
        )}
      </Shown>
    </div>
  );
}

function Left({ data, skip, all }: { data: Waits; skip: string; all: string }) {
  const skipped = skip.split(",").filter(Boolean).length;
  if (!data.left && !data.more && !skipped && !all) return null;
  return (
    <div class="row left" aria-live="polite">
      {data.left > 0 && <strong>{t("review.left", { n: data.left })}</strong>}
      {data.more > 0 && <span class="muted">{t("review.more", { n: data.more, limit: data.daily_limit })}</span>}
      {(data.more > 0 || all) && (
        <button type="button" class="button small" onClick={() => setQuery({ all: all ? null : "1" })}>
          {t(all ? "review.as-the-day" : "review.all")}
        </button>
      )}
      {skipped > 0 && (
        <button type="button" class="button small" onClick={() => setQuery({ skip: null })}>
          {t("review.bring-back", { n: skipped })}
        </button>
      )}
    </div>
  );
}

function One(props: { item: Item; choices: Choice[]; choose: (one: Choice) => void; later: () => void }) {
  const { item } = props;
  const head = `review-${item.id}`;
  return (
    <section class="card one stack" aria-labelledby={head}>
      <div class="stack tight">
        <div class="row small muted">
          <span class={`badge ${item.kind === "quarantined" || item.trust === "quarantined" ? "quarantined" : "unverified"}`}>{t(`review.kind-${item.kind}`)}</span>
          <span class="mono">{item.id}</span>
          <time dateTime={item.opened_at}>{t("review.since", { day: day(item.opened_at) })}</time>
          {item.seen && item.seen > 1 && <span>{t("review.seen", { n: item.seen })}</span>}
        </div>
        <h2 id={head}>{t(`review.ask-${item.kind}`)}</h2>
        {item.why && ["tension", "names", "quarantined"].includes(item.kind) && <Said text={phrase(item.why.replace(BY_HAND, ""))} class="muted small" most={400} />}
      </div>
      {(item.kind === "observation" || item.kind === "proposal") && (
        <blockquote class="statement">
          <Said text={item.text} />
        </blockquote>
      )}
      {item.kind === "proposal" && (
        <p class="small muted">
          <a href={`/domains/${item.domain}`}>{item.domain}</a> · {item.file}
        </p>
      )}
      {item.suggestion && (
        <p class="small">
          {t(item.suggestion.target === "memory" ? "review.becomes-memory" : "review.becomes-fact")} <Said text={item.suggestion.text} />
          {item.why_promoted && (
            <span class="muted">
              {" "}
              {t("review.why-proposed")} <Said text={phrase(item.why_promoted)} />
            </span>
          )}
        </p>
      )}
      <Sides item={item} />
      <div class="row choices" role="group" aria-labelledby={head}>
        {props.choices.map((one) => (
          <button
            type="button"
            class={`button ${one.danger ? "danger" : one.main ? "strong" : ""}`}
            title={item.outcomes[String(one.args.outcome)]}
            onClick={() => props.choose(one)}
          >
            <kbd>{one.key}</kbd> {one.label}
          </button>
        ))}
        <button type="button" class="button quiet" onClick={props.later}>
          <kbd>s</kbd> {t("review.skip")}
        </button>
      </div>
    </section>
  );
}

function Sides({ item }: { item: Item }) {
  if (item.kind !== "names" && !item.sides.length) return null;
  if (item.kind === "names") {
    return (
      <div class="sides">
        {[item.stays ?? "", item.goes ?? ""].map((path) => (
          <div class="side-card stack tight">
            <h3>
              <a href={entityUrl(path)}>{path}</a>
            </h3>
            {item.sides.filter((side) => side.entity === path).map((side) => <SideText side={side} named={false} />)}
            {!item.sides.some((side) => side.entity === path) && <span class="muted small">{t("review.no-facts")}</span>}
          </div>
        ))}
      </div>
    );
  }
  const two = item.kind === "tension" && item.sides.length === 2;
  return (
    <div class={item.sides.length > 1 ? "sides" : "stack"}>
      {item.sides.map((side, place) => (
        <div class="side-card stack tight">
          {two && <kbd aria-hidden="true">{place + 1}</kbd>}
          <SideText side={side} other={two ? item.sides[1 - place]?.text : undefined} />
        </div>
      ))}
    </div>
  );
}

function SideText({ side, other, named = true }: { side: Side; other?: string | undefined; named?: boolean }) {
  return (
    <div class="stack tight">
      <a class="side-text" href={factUrl(side.id)}>
        {other === undefined ? <Said text={side.text} /> : <Differing text={side.text} other={other} />}
      </a>
      <div class="row small muted">
        {named && <a href={entityUrl(side.entity)}>{side.entity}</a>}
        <span>{t("review.holds-from", { day: side.date })}</span>
        {side.trust !== "trusted" && <Trust of={side.trust} />}
        {side.scope !== "shared" && <span>{side.scope}</span>}
        <Confidence of={side.confidence} />
      </div>
      <div class="source small">
        {side.said ? <Source of={side.said} on={side.recorded_at} /> : <Said text={side.source} most={200} class="muted" />}
        {side.quote && side.quote !== side.text && (
          <blockquote>
            <Said text={side.quote} most={600} />
          </blockquote>
        )}
      </div>
    </div>
  );
}

const BY_HAND = /^manual: /; // of a contradiction that somebody noted in words
const MOST_COMPARED = 2000; // characters: the comparison of longer texts takes longer than anybody waits

function Differing({ text, other }: { text: string; other: string }) {
  if (text.length > MOST_COMPARED || other.length > MOST_COMPARED) return <Said text={text} />;
  const parts = wordParts(other, text).filter((part) => !part.removed);
  return (
    <span class="said" dir="auto">
      {parts.map((part) => (part.added ? <mark>{visible(part.value)}</mark> : visible(part.value)))}
    </span>
  );
}

function Nothing({ data, skip }: { data: Waits; skip: string }) {
  if (data.more > 0)
    return (
      <Empty title={t("review.enough")}>
        <span>{t("review.enough-how", { n: data.daily_limit })}</span>
        <button type="button" class="button" onClick={() => setQuery({ all: "1" })}>
          {t("review.all")}
        </button>
      </Empty>
    );
  return (
    <Empty title={t(skip ? "review.nothing-else" : "review.nothing")}>
      <span>{t("review.nothing-how")}</span>
    </Empty>
  );
}

function Lately({ settled, undo }: { settled: Settled[]; undo: (one: Settled) => void }) {
  if (!settled.length) return null;
  return (
    <section class="stack tight" aria-labelledby="lately">
      <h2 id="lately">{t("review.lately")}</h2>
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("review.when")}</th>
              <th scope="col">{t("review.what")}</th>
              <th scope="col">{t("review.outcome")}</th>
              <th scope="col">
                <span class="visually-hidden">{t("shell.undo")}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {settled.map((one) => (
              <tr class={one.undone_at ? "gone" : ""}>
                <td>{time(one.at)}</td>
                <td class="mono">{one.subject}</td>
                <td>
                  {t(`review.was-${one.verdict}`)} {one.note && <Said text={one.note} most={200} class="muted" />}
                </td>
                <td class="number">
                  {one.undone_at ? (
                    <span class="muted small">{t("review.undone")}</span>
                  ) : (
                    <button type="button" class="button small" onClick={() => undo(one)} aria-label={`${t("shell.undo")}: ${one.subject}`}>
                      {t("shell.undo")}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
