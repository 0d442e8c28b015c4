// The graph at every day, as the server tells it: columns of numbers, from which any day is counted without asking.
export interface Answer {
  today: number;
  first: number;
  kinds: string[];
  tiers: string[];
  tags: string[];
  nodes: { path: string[]; title: string[]; kind: number[]; tags: number[][]; made: number[] };
  spans: { node: number[]; from: number[]; to: number[]; tier: number[]; facts: number[] };
  edges: { a: number[]; b: number[] };
  edge_spans: { edge: number[]; from: number[]; to: number[]; facts: number[] };
}

export interface Wanted {
  day: number;
  kind: number | null; // places in the answer's lists; null: any
  tier: number | null;
  tag: number | null;
  now: boolean; // not a past of our knowledge: who has no fact yet is shown as well
}

export interface Counted {
  facts: Int32Array; // by node
  hottest: Int8Array; // by node, place of a tier; 9 without a fact
  shown: Uint8Array; // by node
  relations: Int32Array; // by edge, facts that join its two; 0 where it is not shown
  nodes: number; // how many are shown
  edges: number;
}

export const MOST_EDGES = 2500; // drawn at once: the strongest; more are no picture, and slow without a graphics card
const OPEN = -1;
const NONE = 9;
const DAY_MS = 86_400_000;

export const dayOf = (iso: string): number => Math.floor(Date.parse(`${iso}T00:00:00Z`) / DAY_MS);
export const isoOf = (day: number): string => new Date(day * DAY_MS).toISOString().slice(0, 10);

export class Replay {
  private readonly spans: Record<keyof Answer["spans"], Int32Array>;
  private readonly edgeSpans: Record<keyof Answer["edge_spans"], Int32Array>;
  private readonly everKnown: Uint8Array;

  constructor(readonly answer: Answer) {
    this.spans = columns(answer.spans);
    this.edgeSpans = columns(answer.edge_spans);
    this.everKnown = new Uint8Array(answer.nodes.path.length);
    for (const node of this.spans.node) this.everKnown[node] = 1;
  }

  at(wanted: Wanted): Counted {
    const { nodes, edges } = this.answer;
    const count = nodes.path.length;
    const facts = new Int32Array(count);
    const hottest = new Int8Array(count).fill(NONE);
    const { node, from, to, tier, facts: many } = this.spans;
    for (let row = 0; row < node.length; row++) {
      if (!holds(from[row]!, to[row]!, wanted.day) || (wanted.tier !== null && tier[row] !== wanted.tier)) continue;
      const whose = node[row]!;
      facts[whose] = facts[whose]! + many[row]!;
      if (tier[row]! < hottest[whose]!) hottest[whose] = tier[row]!;
    }
    const relations = this.relations(wanted.day);
    const joined = new Uint8Array(count);
    for (let edge = 0; edge < relations.length; edge++) {
      if (relations[edge]) joined[edges.a[edge]!] = joined[edges.b[edge]!] = 1;
    }
    const shown = new Uint8Array(count);
    let shownNodes = 0;
    for (let one = 0; one < count; one++) {
      const isNew = wanted.now && wanted.day >= this.answer.today && !this.everKnown[one];
      const isThere = facts[one]! > 0 || (wanted.tier === null && (joined[one]! > 0 || isNew));
      const fits =
        (wanted.kind === null || nodes.kind[one] === wanted.kind) &&
        (wanted.tag === null || nodes.tags[one]!.includes(wanted.tag));
      if (isThere && fits) shown[one] = ++shownNodes && 1;
    }
    let shownEdges = 0;
    for (let edge = 0; edge < relations.length; edge++) {
      if (relations[edge] && shown[edges.a[edge]!] && shown[edges.b[edge]!]) shownEdges++;
      else relations[edge] = 0;
    }
    return { facts, hottest, shown, relations, nodes: shownNodes, edges: shownEdges };
  }

  private relations(day: number): Int32Array {
    const relations = new Int32Array(this.answer.edges.a.length);
    const { edge, from, to, facts } = this.edgeSpans;
    for (let row = 0; row < edge.length; row++) {
      if (holds(from[row]!, to[row]!, day)) relations[edge[row]!] = relations[edge[row]!]! + facts[row]!;
    }
    return relations;
  }
}

const holds = (from: number, to: number, day: number): boolean => from <= day && (to === OPEN || day < to);

function columns<T extends Record<string, number[]>>(lists: T): Record<keyof T, Int32Array> {
  const made = Object.entries(lists).map(([name, values]) => [name, Int32Array.from(values)]);
  return Object.fromEntries(made) as Record<keyof T, Int32Array>;
}
