import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { changes } from "./live";

export interface Problem {
  code: string;
  message: string;
  hint: string;
  details?: Record<string, unknown>;
}

export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.message);
  }
}

export interface Result {
  command_id: string;
  kind: string;
  status: string;
  id: string | null;
  reason: string | null;
  details: Record<string, unknown>;
  fact: { text: string } | null;
}

export interface Plan {
  result: Result;
  lines: string[]; // in English
  steps: [string, Record<string, string | number>][] | null; // the same in no language yet, as messages/*/plan.json say it
  about: Record<string, unknown>[];
  seen: string;
}

type Params = Record<string, string | number | null | undefined>;

export const offline = signal(false); // the server does not answer

async function answer<T>(asked: Promise<Response>): Promise<T> {
  let response: Response;
  try {
    response = await asked;
  } catch (problem) {
    if ((problem as Error).name === "AbortError") throw problem;
    offline.value = true;
    throw new Refused(0, { code: "Offline", message: "the server does not answer", hint: "engram ui" });
  }
  offline.value = false;
  const told = response.headers.get("content-type")?.startsWith("application/json");
  const body = told ? await response.json() : { error: { code: "Refused", message: await response.text(), hint: "" } };
  if (!response.ok) throw new Refused(response.status, body.error);
  return body as T;
}

export function get<T>(path: string, params: Params = {}, signal?: AbortSignal): Promise<T> {
  const said = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== null && value !== undefined && value !== "") said.set(name, String(value));
  }
  const url = `/api/${encodeURI(path)}${said.size ? `?${said}` : ""}`;
  return answer<T>(fetch(url, signal ? { signal } : {}));
}

function post<T>(path: string, body: unknown): Promise<T> {
  const headers = { "content-type": "application/json" };
  return answer<T>(fetch(`/api/${path}`, { method: "POST", headers, body: JSON.stringify(body) }));
}

export const plan = (verb: string, args: object, seen?: string): Promise<Plan> => post("plan", { verb, args, seen });

export const apply = (verb: string, args: object, seen?: string): Promise<{ result: Result }> =>
  post("apply", { verb, args, seen });

export interface Loaded<T> {
  data: T | null;
  problem: Problem | null;
  loading: boolean;
  again: () => void;
}

// What a view shows: asked for when its address changes, and again when the store did, with the old answer meanwhile.
export function useGet<T>(path: string | null, params: Params = {}, how: { live?: boolean } = {}): Loaded<T> {
  const [data, setData] = useState<T | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [loading, setLoading] = useState(true);
  const [turn, setTurn] = useState(0);
  const shown = useRef("");
  const key = `${path} ${JSON.stringify(params)}`;
  const at = how.live === false ? 0 : changes.value;
  useEffect(() => {
    if (path === null) {
      setData(null);
      setLoading(false);
      return;
    }
    const stop = new AbortController();
    if (shown.current !== key) setData(null);
    setLoading(true);
    get<T>(path, params, stop.signal)
      .then((found) => {
        shown.current = key;
        setData(found);
        setProblem(null);
        setLoading(false);
      })
      .catch((failed: unknown) => {
        if (stop.signal.aborted) return;
        setProblem(failed instanceof Refused ? failed.problem : { code: "Error", message: String(failed), hint: "" });
        setLoading(false);
      });
    return () => stop.abort();
  }, [key, at, turn]);
  return { data, problem, loading, again: () => setTurn(turn + 1) };
}
