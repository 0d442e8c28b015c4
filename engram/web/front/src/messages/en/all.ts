// All words of this language in one file of the build; English sentences of the server are said as they are.
export default import.meta.glob<Record<string, string | Record<string, string>>>(["./*.json", "!./phrases.json"], {
  eager: true,
  import: "default",
});
