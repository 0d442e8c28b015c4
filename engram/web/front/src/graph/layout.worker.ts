import forceAtlas2 from "graphology-layout-forceatlas2";
import defaults from "graphology-layout-forceatlas2/defaults.js";
import iterate from "graphology-layout-forceatlas2/iterate.js";

// Finds places for the joined entities, away from the page's thread; sends them a few times while they get better.
export interface Task {
  turn: number; // of the page's: places of an earlier graph are of no use
  count: number; // entities
  a: number[];
  b: number[];
  weight: number[];
}
export interface Places {
  turn: number;
  xy: Float32Array; // x and y by node; NaN for one that nothing joins
  done: boolean;
}

const FIRST_MS = 120; // after which the first places are sent
const MORE_MS = 300; // between the next ones; four times as many of a large graph, which takes long to draw
const LARGE = 800;
const LONGEST_MS = 6000; // no computer is to be busy for longer
const STEPS = 400;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));
const OF_NODE = 10; // numbers by which the layout knows a node: x, y, four of its movement, mass, convergence, size, fixed
const OF_EDGE = 3; // and an edge: where its ends begin among those of the nodes, and its weight

self.addEventListener("message", (event: MessageEvent<Task>) => {
  const { turn, count, a, b, weight } = event.data;
  const joined = [...new Set([...a, ...b])].sort((first, second) => first - second);
  const [nodes, edges] = matrices(joined, { a, b, weight });
  const order = joined.length;
  const inferred = forceAtlas2.inferSettings(order);
  const settings = { ...defaults, ...inferred, barnesHutOptimize: order > 400, gravity: 1.5 };
  const begun = performance.now();
  let next = begun + FIRST_MS;
  for (let step = 1; step <= STEPS && order > 0; step++) {
    iterate(settings, nodes, edges);
    if (performance.now() > next) {
      next = performance.now() + MORE_MS * (order > LARGE ? 4 : 1);
      send(turn, joined, nodes, count, false);
    }
    if (performance.now() - begun > LONGEST_MS) break;
  }
  send(turn, joined, nodes, count, true);
});

// The numbers that the layout works on. They begin on a spiral, so that the same graph looks the same each time.
function matrices(joined: number[], { a, b, weight }: Pick<Task, "a" | "b" | "weight">): [Float32Array, Float32Array] {
  const nodes = new Float32Array(OF_NODE * joined.length);
  const at = new Map<number, number>();
  joined.forEach((node, place) => {
    const radius = 10 * Math.sqrt(place + 1);
    const begin = OF_NODE * place;
    at.set(node, begin);
    nodes[begin] = radius * Math.cos(place * GOLDEN);
    nodes[begin + 1] = radius * Math.sin(place * GOLDEN);
    nodes.set([1, 1, 1, 0], begin + 6);
  });
  const edges = new Float32Array(OF_EDGE * a.length);
  a.forEach((first, edge) => {
    const ends = [at.get(first)!, at.get(b[edge]!)!];
    const strength = Math.log2(1 + weight[edge]!);
    for (const end of ends) nodes[end + 6] = nodes[end + 6]! + strength;
    edges.set([...ends, strength], OF_EDGE * edge);
  });
  return [nodes, edges];
}

function send(turn: number, joined: number[], nodes: Float32Array, count: number, done: boolean): void {
  const xy = new Float32Array(2 * count).fill(Number.NaN);
  joined.forEach((node, place) => xy.set(nodes.subarray(OF_NODE * place, OF_NODE * place + 2), 2 * node));
  const places: Places = { turn, xy, done };
  (self as unknown as { postMessage(said: Places, moved: Transferable[]): void }).postMessage(places, [xy.buffer]);
}
