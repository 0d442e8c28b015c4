import { signal } from "@preact/signals";

// What the server tells without being asked: how far the journal has come, and since when a heartbeat runs.
export const position = signal(0);
export const changes = signal(0); // how often it came further while the page was open
export const running = signal<string | null>(null);
export const connected = signal(true);

export function listen(): void {
  const source = new EventSource("/api/live");
  source.addEventListener("state", (event) => {
    const state = JSON.parse((event as MessageEvent<string>).data) as { position: number; running: string | null };
    if (position.value && state.position !== position.value) changes.value++;
    position.value = state.position;
    running.value = state.running;
    connected.value = true;
  });
  source.addEventListener("error", () => (connected.value = false));
}
