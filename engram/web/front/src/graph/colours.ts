// #abc as #aabbcc: the build shortens colours.
export const whole = (colour: string): string => colour.replace(/^#(\w)(\w)(\w)$/, "#$1$1$2$2$3$3");

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
