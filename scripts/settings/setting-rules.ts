/** A setting of the configuration. */
export interface KnownSetting {
  /** Its name in `Config`; absent for settings that a package reads by their variable. */
  name?: string;
  variable: string;
}

/** `config.name` and `{ name }` of a `config` or a `Config`. */
const READ = /\bconfig\??\.(\w+)/gi;
const TAKEN_APART = /\{([^{}]*)\}\s*(?:=\s*(?:\w+\.)*config\b|:\s*(?:Pick<)?Config\b)/gi;
/** A span of code that names variables: `…`, `*` and `<name>` stand for a part of the name. */
const SPAN = /`([A-Z](?:[A-Z0-9_*…]|<\w+>)+)[^`]*`/g;
/** Lists every variable, but only in one line. */
const TABLE = /<!-- configuration:[\s\S]*?<!-- \/configuration -->/;

/**
 * Finds settings that no code reads, and those that no page explains beside the generated table.
 * @param sources texts of all production files but the configuration's own
 * @param pages texts of all pages
 */
export function findSettingFaults(
  settings: readonly KnownSetting[],
  sources: readonly string[],
  pages: readonly string[],
): string[] {
  const read = new Set(sources.flatMap(namesRead));
  const spans = pages.flatMap((page) =>
    [...page.replace(TABLE, '').matchAll(SPAN)].map(([, span = '']) => patternOf(span)),
  );
  return settings.flatMap(({ name, variable }) => [
    ...(name === undefined || read.has(name) ? [] : [`${variable}: no code reads it`]),
    ...(spans.some((span) => span.test(variable)) ? [] : [`${variable}: no page explains it`]),
  ]);
}

function namesRead(source: string): string[] {
  const taken = [...source.matchAll(TAKEN_APART)].flatMap(([, names = '']) =>
    names.split(',').map((part) => part.replace(/[:=].*/s, '').trim()),
  );
  return [...taken, ...[...source.matchAll(READ)].map(([, name = '']) => name)];
}

function patternOf(span: string): RegExp {
  return new RegExp(`^${span.replaceAll(/\*|…|<\w+>/g, '[A-Z0-9_]+')}$`);
}
