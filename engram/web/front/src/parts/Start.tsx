import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { useGet } from "../api";
import { number, t } from "../i18n";
import { query, setQuery, factUrl } from "../router";
import { Said } from "./Said";
import { Shown } from "./States";
import "./start.css";

interface Item {
  id: string;
  kind: string;
  heading: string;
  lines: string[];
}
interface Part {
  name: string;
  title: string;
  tokens: number;
  cut: number;
  items: Item[];
}
interface Block {
  text: string;
  tokens: number;
  budget: number;
  project: string | null;
  parts: Part[];
}

// What the next session starts with: the block itself. What changed while somebody looks at it is marked.
export function Start(props: { projects: { path: string; title: string }[]; large: boolean }) {
  const [wanted, setWanted] = useState(!props.large);
  const asked = query.value.get("project");
  const project = asked ?? props.projects[0]?.path ?? "";
  const block = useGet<Block>(wanted ? `start${project && project !== "none" ? `/${project}` : ""}` : null);
  const fresh = useFresh(block.data, project);
  return (
    <>
      <div class="row apart">
        <h2 id="start-title">{t("start.title")}</h2>
        <div class="row">
          {props.projects.length > 0 && (
            <select
              aria-label={t("start.project")}
              value={project}
              onChange={(event) => setQuery({ project: event.currentTarget.value })}
            >
              {props.projects.map((one) => (
                <option value={one.path}>{one.title}</option>
              ))}
              <option value="none">{t("start.no-project")}</option>
            </select>
          )}
        </div>
      </div>
      <p class="muted small">{t("start.what")}</p>
      {wanted ? (
        <Shown of={block}>{(data) => <Parts block={data} fresh={fresh} />}</Shown>
      ) : (
        <div>
          <button type="button" class="button" onClick={() => setWanted(true)}>
            {t("start.show")}
          </button>
        </div>
      )}
    </>
  );
}

// Lines that were not there when this block was shown first.
function useFresh(block: Block | null, project: string): Set<string> {
  const first = useRef<{ project: string; lines: Set<string> } | null>(null);
  const lines = block ? block.parts.flatMap((part) => part.items.map((item) => item.lines.join("\n"))) : [];
  useEffect(() => {
    if (block && first.current?.project !== project) first.current = { project, lines: new Set(lines) };
  }, [block, project]);
  if (!block || first.current?.project !== project) return new Set();
  return new Set(lines.filter((one) => !first.current!.lines.has(one)));
}

export const freshLines = signal(0); // of the block that is shown: what came since somebody looks at it

function Parts({ block, fresh }: { block: Block; fresh: Set<string> }) {
  useEffect(() => {
    freshLines.value = fresh.size;
    return () => {
      freshLines.value = 0;
    };
  }, [fresh.size]);
  if (!block.parts.length) return <p class="muted">{t("start.empty")}</p>;
  return (
    <div class="card start">
      <div class="start-head">
        <strong>{t("start.tokens", { n: block.tokens, budget: number(block.budget) })}</strong>
        <span class="start-bar" aria-hidden="true">
          {block.parts.map((part) => (
            <span class={`part-${part.name}`} title={`${t(`start.part-${part.name}`)}: ${part.tokens}`} style={{ flexGrow: part.tokens }} />
          ))}
        </span>
        {fresh.size > 0 && (
          <span class="state active" role="status">
            {t("start.fresh", { n: fresh.size })}
          </span>
        )}
      </div>
      {block.parts.map((part, place) => (
        <details key={part.name} open={place < 2 || part.items.some((one) => fresh.has(one.lines.join("\n")))}>
          <summary>
            <span class={`part-dot part-${part.name}`} aria-hidden="true" />
            <span class="part-title">{t(`start.part-${part.name}`)}</span>
            <span class="muted small">
              {t("start.part-tokens", { n: part.tokens })}
              {part.cut > 0 && ` · ${t("start.cut", { n: part.cut })}`}
            </span>
          </summary>
          <div class="start-lines mono">
            {part.items.map((item, at) => (
              <Line item={item} headed={item.heading !== "" && item.heading !== part.items[at - 1]?.heading} fresh={fresh} />
            ))}
          </div>
        </details>
      ))}
    </div>
  );
}

function Line({ item, headed, fresh }: { item: Item; headed: boolean; fresh: Set<string> }) {
  const text = item.lines.join("\n");
  const said = <Said text={text} />;
  return (
    <>
      {headed && <div class="start-heading">{item.heading}</div>}
      <div class={`start-line ${fresh.has(text) ? "fresh" : ""}`}>
        {item.kind === "fact" ? <a href={factUrl(item.id)}>{said}</a> : said}
      </div>
    </>
  );
}
