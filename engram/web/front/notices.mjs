// Writes what the build holds of other people's work, with their licences, and the digest of the sources it was made of.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const STATIC = "../static";
const lock = JSON.parse(readFileSync("package-lock.json", "utf8"));

const notices = Object.entries(lock.packages)
  .filter(([path, one]) => path.startsWith("node_modules/") && !one.dev && !one.optional)
  .sort(([first], [second]) => (first < second ? -1 : 1))
  .map(([path, one]) => {
    const name = path.replace(/^.*node_modules\//, "");
    const licence = readdirSync(path).find((file) => /^(licen[cs]e|copying)/i.test(file));
    const text = licence ? readFileSync(join(path, licence), "utf8").trim() : `Licence: ${one.license}`;
    return `${name} ${one.version} (${one.license})\n\n${text}\n`;
  });
writeFileSync(join(STATIC, "NOTICES.txt"), notices.join(`\n${"-".repeat(72)}\n\n`));

function files(folder) {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .flatMap((path) => (statSync(path).isDirectory() ? files(path) : [path]))
    .sort();
}
const sources = [...files("src"), "index.html", "package-lock.json", "vite.config.ts"];
const digest = createHash("sha256");
for (const path of sources.sort()) digest.update(path).update("\0").update(readFileSync(path)).update("\0");
writeFileSync(join(STATIC, "SOURCES.sha256"), `${digest.digest("hex")}\n`);
