// What draws on a canvas gets the colours of styles/tokens.css as they are in light or dark now.
export function readColours(): (name: string) => string {
  const probe = document.createElement("span");
  document.body.append(probe);
  const style = getComputedStyle(probe);
  const colour = (name: string): string => {
    probe.style.color = `var(${name})`;
    const parts = style.color.match(/\d+/g)!.slice(0, 3); // rgb(r, g, b)
    return `#${parts.map((one) => Number(one).toString(16).padStart(2, "0")).join("")}`;
  };
  queueMicrotask(() => probe.remove()); // whoever reads colours does it at once
  return colour;
}

export const readFont = (): string => getComputedStyle(document.documentElement).getPropertyValue("--sans").trim();

const mixes = new Map<string, string>();

// A colour that fades into another one; both as #rrggbb.
export function mixed(colour: string, into: string, part: number): string {
  const key = `${colour} ${into} ${part}`;
  const known = mixes.get(key);
  if (known) return known;
  const parts = [1, 3, 5].map((at) => {
    const [from, to] = [colour, into].map((one) => Number.parseInt(one.slice(at, at + 2), 16));
    return Math.round(from! + (to! - from!) * part).toString(16).padStart(2, "0");
  });
  const made = `#${parts.join("")}`;
  mixes.set(key, made);
  return made;
}
