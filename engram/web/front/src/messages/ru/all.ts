// All words of this language in one file of the build.
export default import.meta.glob<Record<string, string | Record<string, string>>>("./*.json", {
  eager: true,
  import: "default",
});
