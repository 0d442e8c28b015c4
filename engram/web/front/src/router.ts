import { computed, signal } from "@preact/signals";

// Where the page stands: every view keeps its state in the address, so that a link can be shared and a reload is safe.
const address = signal(location.pathname + location.search);

export const path = computed(() => decodeURI(new URL(address.value, location.origin).pathname));
export const query = computed(() => new URL(address.value, location.origin).searchParams);
export const view = computed(() => path.value.split("/")[1] || "today");
export const rest = computed(() => path.value.split("/").slice(2).join("/"));

addEventListener("popstate", () => (address.value = location.pathname + location.search));

export function go(url: string, how: { replace?: boolean } = {}): void {
  if (url === address.value) return;
  history[how.replace ? "replaceState" : "pushState"](null, "", url);
  address.value = url;
  if (!how.replace) scrollTo(0, 0);
}

export function setQuery(changes: Record<string, string | null>, how: { replace?: boolean } = { replace: true }): void {
  const now = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === "") now.delete(name);
    else now.set(name, value);
  }
  const said = now.toString();
  go(encodeURI(path.value) + (said ? `?${said}` : ""), how);
}

// Links of our own are followed without a reload; others, and those with a modifier, are the browser's.
addEventListener("click", (event) => {
  const link = (event.target as Element | null)?.closest?.("a");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey) return;
  if (link.origin !== location.origin || link.target || link.hasAttribute("download")) return;
  if (link.hash && link.pathname + link.search === address.value) return; // to a place on this page
  event.preventDefault();
  go(link.pathname + link.search);
});

export const entityUrl = (entity: string): string => `/entity/${encodeURI(entity)}`;
export const factUrl = (id: string): string => `/fact/${encodeURI(id)}`;
