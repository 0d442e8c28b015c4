import { defineConfig } from "vite";

// One folder beside the server, names with a hash, nothing inlined: the page's policy allows files of its own alone.
export default defineConfig({
  base: "/",
  build: {
    outDir: "../static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    cssTarget: ["chrome123", "firefox120", "safari17.5"], // know light-dark()
    chunkSizeWarningLimit: 600,
  },
  worker: { format: "es" },
});
