import Graph from "graphology";
import Sigma from "sigma";
import { EdgeLineProgram, NodePointProgram } from "sigma/rendering";
import type { Settings } from "sigma/settings";
import type { NodeDisplayData, PartialButFor } from "sigma/types";
import { mixed, readColours, readFont } from "../colours";
import type { Places, Task } from "./layout.worker";
import { type Answer, type Counted, MOST_EDGES } from "./replay";

interface Look {
  kinds: string[];
  ink: string;
  ground: string;
  raised: string;
  line: string;
  strong: string;
  accent: string;
  font: string;
}

const NARROW_PX = 560; // width below which the legend stands under the graph
const WHOLE_PX = 560; // the shorter side of the place from which entities are drawn in their full size
const ROOMY = 120; // entities up to which there is room for large ones
const LEAST = 3; // radius in pixels
const MOST = 15;
const PALE = [0, 0.3, 0.6, 0.75]; // how far a hot, warm, cold or empty entity fades into the ground
const LABEL_CHARS = 32;
const WIDE = 1.7; // how much wider than high the joined ones the rows of the others may be
const FEW_EDGES = 400; // that may be drawn strongly without hiding what they join
const MOST_DIMMED = 3000; // entities up to which the others fade when one is pointed at; more would be drawn too late
const COLUMNS = 8;
const NAMED_PX = 170; // width of a column in which a name has room
const ROW = 0.4; // height of a row, in widths of a column
const NAMED_ROW = 0.22; // the same where every entity has its name beside it
const NAMED_WIDE = 3; // and how wide the rows may be then
const NAME_CHARS = 16; // of an entity in such a row
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

// Lines and points as the graphics card knows them: fast also where a program stands in for one.
const PLAIN = { edgeProgramClasses: { line: EdgeLineProgram }, nodeProgramClasses: { circle: NodePointProgram } };

const newWorker = () => new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" });
let spare: Worker | null = newWorker(); // it is loaded while the graph is on its way

function takeWorker(): Worker {
  const taken = spare ?? newWorker();
  spare = null;
  return taken;
}

// The graph as it is drawn, and as a person moves in it. What is shown comes from the view.
export class GraphDrawing {
  private readonly graph = new Graph({ type: "undirected" });
  private readonly sigma: Sigma; // made ready while the worker looks for places; nothing is drawn before it has its own
  private isPlaced = false;
  private readonly worker = takeWorker();
  private readonly beside: { node: number; edge: number }[][];
  private look: Look;
  private counted: Counted | null = null;
  private chosen: number | null = null;
  private near = new Set<number>();
  private found: Set<number> | null = null;
  private hovered: number | null = null;
  private strongest: number[] = []; // edges that are drawn whoever is looked at
  private short = new Set<number>(); // entities in rows, whose names have no more room than a column
  private readonly scale: number;
  private readonly room: number; // how much of their size many entities have on a small screen

  constructor(
    readonly place: HTMLElement,
    private readonly answer: Answer,
    private readonly told: { choose: (node: number | null) => void; drawn: () => void },
  ) {
    const { nodes, edges } = answer;
    const count = nodes.path.length;
    this.look = readLook();
    this.scale = Math.min(1, Math.sqrt(ROOMY / Math.max(1, count)));
    const side = Math.min(place.clientWidth, place.clientHeight);
    this.room = count > ROOMY ? Math.min(1, Math.max(0.4, side / WHOLE_PX)) : 1;
    this.beside = nodes.path.map(() => []);
    this.worker.addEventListener("message", (event: MessageEvent<Places>) => this.move(event.data));
    const weight = edges.a.map(() => 0);
    answer.edge_spans.edge.forEach((edge, row) => (weight[edge] = weight[edge]! + answer.edge_spans.facts[row]!));
    const task: Task = { turn: 0, count, a: edges.a, b: edges.b, weight };
    this.worker.postMessage(task); // it works while we go on
    this.sigma = new Sigma(new Graph(), place, this.settings(edges.a.length));
    nodes.path.forEach((_, node) => this.graph.addNode(node, { x: 0, y: 0, label: labelOf(nodes.title[node]!) }));
    edges.a.forEach((a, edge) => {
      const b = edges.b[edge]!;
      this.beside[a]!.push({ node: b, edge });
      this.beside[b]!.push({ node: a, edge });
    });
  }

  show(counted: Counted): void {
    this.counted = counted;
    this.strongest = strongestOf(counted.relations);
    this.refresh();
  }

  choose(node: number | null): void {
    this.chosen = node;
    this.near = new Set(node === null ? [] : this.neighbours(node));
    this.refresh();
    if (node !== null) this.bringIntoView(node);
  }

  find(found: Set<number> | null): void {
    this.found = found;
    this.refresh();
  }

  colour(): void {
    this.look = readLook();
    this.sigma.setSettings({ labelColor: { color: this.look.ink }, labelFont: this.look.font });
    this.refresh();
  }

  zoom(by: number): void {
    const camera = this.sigma.getCamera();
    void camera.animate({ ratio: camera.getState().ratio / by }, { duration: calm() ? 0 : 180 });
  }

  whole(): void {
    void this.sigma.getCamera().animatedReset({ duration: calm() ? 0 : 250 });
  }

  neighbours(node: number): number[] {
    return this.joining(node).map((one) => one.node);
  }

  // The neighbour that lies most in a direction; without a chosen entity, the best known one.
  towards(x: number, y: number): number | null {
    if (this.chosen === null) return this.bestKnown();
    const from = this.graph.getNodeAttributes(this.chosen);
    let best: number | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const other of this.neighbours(this.chosen)) {
      const to = this.graph.getNodeAttributes(other);
      const [dx, dy] = [(to.x as number) - (from.x as number), (to.y as number) - (from.y as number)];
      const along = dx * x + dy * y;
      if (along <= 0) continue;
      const cost = Math.hypot(dx, dy) + 2 * Math.abs(dx * y - dy * x);
      if (cost < least) [best, least] = [other, cost];
    }
    return best;
  }

  end(): void {
    this.worker.terminate();
    this.sigma.kill();
  }

  // What joins an entity with others on the day that is shown.
  private joining(node: number): { node: number; edge: number }[] {
    return this.beside[node]!.filter(({ edge }) => (this.counted?.relations[edge] ?? 0) > 0);
  }

  private bestKnown(): number | null {
    const { facts, shown } = this.counted ?? { facts: [], shown: [] };
    let best: number | null = null;
    facts.forEach((many, node) => {
      if (shown[node] && (best === null || many > facts[best]!)) best = node;
    });
    return best;
  }

  private hover(node: number | null): void {
    this.place.dataset.over = node === null ? "" : "node";
    if (this.answer.nodes.path.length > MOST_DIMMED) return;
    this.hovered = node;
    this.near = new Set(this.focus() === null ? [] : this.neighbours(this.focus()!));
    this.refresh();
  }

  private focus(): number | null {
    return this.hovered ?? this.chosen;
  }

  private refresh(): void {
    if (!this.isPlaced) return;
    this.putEdges();
    this.sigma.refresh({ skipIndexation: true });
    this.told.drawn();
  }

  private bringIntoView(node: number): void {
    const at = this.sigma.getNodeDisplayData(node);
    if (!at) return;
    const onScreen = this.sigma.framedGraphToViewport(at);
    const { width, height } = this.sigma.getDimensions();
    const inside = onScreen.x > 40 && onScreen.y > 40 && onScreen.x < width - 40 && onScreen.y < height - 40;
    if (!inside) void this.sigma.getCamera().animate({ x: at.x, y: at.y }, { duration: calm() ? 0 : 250 });
  }

  private move({ xy, done }: Places): void {
    this.putLoose(xy);
    if (this.isPlaced) this.sigma.refresh();
    else this.begin();
    this.place.dataset.laid = done ? "done" : "going";
    this.told.drawn();
  }

  private begin(): void {
    this.isPlaced = true;
    this.putEdges();
    this.sigma.setGraph(this.graph);
    this.sigma.on("clickNode", ({ node }) => this.told.choose(Number(node)));
    this.sigma.on("clickStage", () => this.told.choose(null));
    this.sigma.on("enterNode", ({ node }) => this.hover(Number(node)));
    this.sigma.on("leaveNode", () => this.hover(null));
    if (this.chosen !== null) this.bringIntoView(this.chosen);
  }

  // Only edges that are drawn stand in the graph: of a large one most are not, and each costs time in every picture.
  private putEdges(): void {
    const focus = this.focus();
    const wanted = new Set(this.strongest);
    if (focus !== null) for (const { edge } of this.joining(focus)) wanted.add(edge);
    for (const key of this.graph.edges()) if (!wanted.has(Number(key))) this.graph.dropEdge(key);
    const { a, b } = this.answer.edges;
    for (const edge of wanted) if (!this.graph.hasEdge(edge)) this.graph.addEdgeWithKey(edge, a[edge], b[edge]);
  }

  // Whether there is room for the name of every entity.
  private isRoomy(): boolean {
    return this.answer.nodes.path.length <= ROOMY && this.place.clientWidth >= NARROW_PX;
  }

  // Entities that nothing joins stand in rows below the others.
  private putLoose(xy: Float32Array): void {
    const loose: number[] = [];
    let [left, right] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let [bottom, top] = [left, right];
    this.graph.forEachNode((key) => {
      const node = Number(key);
      const [x, y] = [xy[2 * node]!, xy[2 * node + 1]!];
      if (Number.isNaN(x)) return void loose.push(node);
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [bottom, top] = [Math.min(bottom, y), Math.max(top, y)];
    });
    if (left > right) [left, right, bottom, top] = [-50, 50, 0, 0];
    const isNamed = this.isRoomy();
    const width = Math.max(right - left, (isNamed && loose.length > COLUMNS ? NAMED_WIDE : WIDE) * (top - bottom), 1);
    const fit = !isNamed ? loose.length : Math.max(2, Math.floor(this.place.clientWidth / NAMED_PX));
    const columns = Math.min(loose.length, fit, Math.max(COLUMNS, Math.ceil(Math.sqrt(3 * loose.length))));
    const step = width / columns;
    const middle = (left + right) / 2;
    this.short = new Set(isNamed && columns > 1 ? loose : []);
    loose.forEach((node, place) => {
      xy[2 * node] = middle - width / 2 + step * ((place % columns) + 0.5);
      xy[2 * node + 1] = bottom - step * (isNamed ? 0.5 + NAMED_ROW * Math.floor(place / columns) : 1 + ROW * Math.floor(place / columns));
    });
    this.graph.updateEachNodeAttributes((key, attributes) => {
      const node = Number(key);
      return { ...attributes, x: xy[2 * node]!, y: xy[2 * node + 1]! };
    });
  }

  private settings(edges: number): Partial<Settings> {
    const { ink, font } = this.look;
    return {
      allowInvalidContainer: true,
      labelColor: { color: ink },
      labelFont: font,
      labelSize: 12,
      labelDensity: this.isRoomy() ? 8 : this.room < 1 ? 0.2 : 0.6,
      labelGridCellSize: 110,
      labelRenderedSizeThreshold: this.isRoomy() ? 0 : 4,
      hideEdgesOnMove: edges > MOST_EDGES,
      minEdgeThickness: 1,
      ...(edges > MOST_EDGES ? PLAIN : {}),
      zIndex: true,
      stagePadding: this.place.clientWidth < NARROW_PX ? 36 : 56, // the legend and the hint stand on it where there is room
      maxCameraRatio: 3,
      minCameraRatio: 0.02,
      defaultDrawNodeLabel: (context, data, settings) => this.drawLabel(context, data, settings),
      defaultDrawNodeHover: (context, data, settings) => this.drawHover(context, data, settings),
      nodeReducer: (key, data) => ({ ...data, ...this.node(Number(key)) }),
      edgeReducer: (key, data) => ({ ...data, ...this.edge(Number(key)) }),
    };
  }

  private node(node: number): Partial<NodeDisplayData> {
    const counted = this.counted;
    if (!counted?.shown[node]) return { hidden: true, label: "" };
    const kind = this.look.kinds[this.answer.nodes.kind[node]!]!;
    const tier = Math.min(counted.hottest[node]!, PALE.length - 1);
    const size = Math.min(MOST, LEAST + 1.3 * Math.sqrt(counted.facts[node]!)) * this.scale * this.room + 1.2 * this.room;
    const focus = this.focus();
    const isNear = focus === null || focus === node || this.near.has(node);
    const isFound = this.found === null || this.found.has(node);
    const color = isNear && isFound ? mixed(kind, this.look.ground, PALE[tier]!) : mixed(this.look.line, this.look.ground, 0.4);
    const whole = this.graph.getNodeAttribute(node, "label") as string;
    const label = this.short.has(node) && focus !== node ? cut(whole, NAME_CHARS) : whole;
    if (!isNear || !isFound) return { size, color, label: "", zIndex: 0 };
    const stands = node === this.chosen || (this.found !== null && this.found.size < 40) || (focus !== null && this.near.size < 40);
    return { size, color, label, zIndex: 1, highlighted: node === this.chosen, forceLabel: stands };
  }

  private edge(edge: number): Record<string, unknown> {
    const many = this.counted?.relations[edge] ?? 0;
    if (!many) return { hidden: true };
    const focus = this.focus();
    const ends = [this.answer.edges.a[edge]!, this.answer.edges.b[edge]!];
    const isOneOfFew = this.answer.edges.a.length <= FEW_EDGES;
    const size = Math.min(4, (isOneOfFew ? 1 : 0.5) + 0.5 * Math.log2(1 + many));
    const isNear = focus !== null && ends.includes(focus);
    if (focus === null) return { size, color: isOneOfFew ? this.look.strong : this.look.line, zIndex: 0 };
    if (!isNear) return { size: 0.4, color: mixed(this.look.line, this.look.ground, 0.75), zIndex: 0 };
    return { size: size + 0.6, color: this.look.accent, zIndex: 1 };
  }

  // Where a label begins: behind its entity, and before it where it would be cut off.
  private labelAt(data: { x: number; size: number }, width: number, gap: number): number {
    const behind = data.x + data.size + gap;
    const before = data.x - data.size - gap - width;
    return behind + width > this.place.clientWidth && before > 0 ? before : behind;
  }

  private drawLabel(
    context: CanvasRenderingContext2D,
    data: PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">,
    settings: Settings,
  ): void {
    if (!data.label) return;
    context.font = `${settings.labelSize}px ${settings.labelFont}`;
    const x = this.labelAt(data, context.measureText(data.label).width, 4);
    const y = data.y + settings.labelSize / 3;
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = this.look.ground;
    context.strokeText(data.label, x, y);
    context.fillStyle = this.look.ink;
    context.fillText(data.label, x, y);
  }

  private drawHover(
    context: CanvasRenderingContext2D,
    data: PartialButFor<NodeDisplayData, "x" | "y" | "size" | "label" | "color">,
    settings: Settings,
  ): void {
    context.beginPath();
    context.arc(data.x, data.y, data.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = this.look.accent;
    context.stroke();
    if (!data.label) return;
    context.font = `600 ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(data.label).width;
    const [x, y] = [this.labelAt(data, width + 12, 5), data.y - settings.labelSize / 2 - 4];
    context.fillStyle = this.look.raised;
    context.beginPath();
    context.roundRect(x, y, width + 12, settings.labelSize + 9, 5);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = this.look.line;
    context.stroke();
    context.fillStyle = this.look.ink;
    context.fillText(data.label, x + 6, data.y + settings.labelSize / 3);
  }
}

// The edges of most facts, as many as are drawn.
function strongestOf(relations: Int32Array): number[] {
  const shown: number[] = [];
  relations.forEach((many, edge) => void (many > 0 && shown.push(edge)));
  if (shown.length <= MOST_EDGES) return shown;
  return shown.sort((a, b) => relations[b]! - relations[a]! || a - b).slice(0, MOST_EDGES);
}

const calm = (): boolean => matchMedia("(prefers-reduced-motion: reduce)").matches;

function labelOf(title: string): string {
  const plain = title.replace(UNSEEN, "\ufffd");
  return cut(plain, LABEL_CHARS);
}

const cut = (text: string, most: number): string => (text.length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

function readLook(): Look {
  const colour = readColours();
  return {
    kinds: ["people", "projects", "archives"].map((kind) => colour(`--kind-${kind}`)),
    ink: colour("--ink"),
    ground: colour("--surface"),
    raised: colour("--raised"),
    line: colour("--line-2"),
    strong: colour("--ink-3"),
    accent: colour("--accent"),
    font: readFont(),
  };
}
