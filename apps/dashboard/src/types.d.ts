declare module '*.css' {
  /** The names of a CSS module; a plain style sheet has none. */
  const names: Readonly<Record<string, string>>;
  export default names;
}

declare module '@tabler/icons-react/dist/esm/icons/*.mjs' {
  import type { Icon } from '@tabler/icons-react';
  const icon: Icon;
  export default icon;
}
