import Graph from "graphology";
import forceAtlas2 from "graphology-layout-forceatlas2";

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

const FIRST_MS = 200; // after which the first places are sent
const MORE_MS = 300; // between the next ones; four times as many of a large graph, which takes long to draw
const LARGE = 800;
const LONGEST_MS = 6000; // no computer is to be busy for longer
const STEPS = 400;
const GOLDEN = Math.PI * (3 - Math.sqrt(5));

self.addEventListener("message", (event: MessageEvent<Task>) => {
  const { turn, count, a, b, weight } = event.data;
  const graph = new Graph({ type: "undirected" });
  const joined = [...new Set([...a, ...b])].sort((first, second) => first - second);
  joined.forEach((node, place) => {
    const radius = 10 * Math.sqrt(place + 1);
    graph.addNode(node, { x: radius * Math.cos(place * GOLDEN), y: radius * Math.sin(place * GOLDEN) });
  });
  a.forEach((first, edge) => graph.mergeEdge(first, b[edge], { weight: Math.log2(1 + weight[edge]!) }));
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: graph.order > 400, gravity: 1.5 };
  const begun = performance.now();
  let next = begun + FIRST_MS;
  const batch = graph.order > 3000 ? 4 : 12;
  for (let step = 0; step < STEPS && graph.order > 0; step += batch) {
    forceAtlas2.assign(graph, { iterations: batch, settings, getEdgeWeight: "weight" });
    if (performance.now() > next) {
      next = performance.now() + MORE_MS * (graph.order > LARGE ? 4 : 1);
      send(turn, graph, count, false);
    }
    if (performance.now() - begun > LONGEST_MS) break;
  }
  send(turn, graph, count, true);
});

function send(turn: number, graph: Graph, count: number, done: boolean): void {
  const xy = new Float32Array(2 * count).fill(Number.NaN);
  graph.forEachNode((node, at) => xy.set([at.x as number, at.y as number], 2 * Number(node)));
  const places: Places = { turn, xy, done };
  (self as unknown as { postMessage(said: Places, moved: Transferable[]): void }).postMessage(places, [xy.buffer]);
}
