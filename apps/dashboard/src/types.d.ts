declare module '*.css' {
  /** The names of a CSS module; a plain style sheet has none. */
  const names: Readonly<Record<string, string>>;
  export default names;
}
