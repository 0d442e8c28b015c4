// The inner parts of the layout, which work on plain numbers; the package has types for its outer ones alone.
declare module "graphology-layout-forceatlas2/defaults.js" {
  const defaults: Record<string, boolean | number>;
  export default defaults;
}
declare module "graphology-layout-forceatlas2/iterate.js" {
  export default function iterate(settings: object, nodes: Float32Array, edges: Float32Array): void;
}
