import type { FieldObject, Fields } from '@gleaner/contracts';
import { longForm } from '@gleaner/contracts/values';
import { useQuery } from '@tanstack/react-query';
import { operationQuery } from '../api/call.ts';
import { hasTarget, type Stage } from './stages.ts';

const LINK = /@href\s*$/;

/** JSONPaths to the addresses in a parser's results, of which another stage can take them. */
export function linkPathsOf(fields: Fields, prefix = '$'): string[] {
  return Object.entries(fields).flatMap(([name, written]) => {
    const field: FieldObject = longForm(written);
    const isList = field.page === 'links' ? field.take !== 'first' : field.take === 'all';
    const path = `${prefix}.${name}${isList ? '[*]' : ''}`;
    if (field.fields) return linkPathsOf(field.fields, path);
    const isLink =
      field.type === 'url' ||
      field.attr === 'href' ||
      field.page === 'links' ||
      [field.css ?? []].flat().some((selector) => LINK.test(selector));
    return isLink ? [path] : [];
  });
}

/** The parser of a stage, or of the first route that has one. */
function parserOf(stage: Stage | undefined, route?: string): string | undefined {
  if (stage === undefined) return undefined;
  const target = hasTarget(stage)
    ? stage.target
    : stage.routes.find(({ name, target }) => target && (route === undefined || name === route))?.target;
  return target?.type === 'parser' ? target.parserId : undefined;
}

/** `linkPathsOf` of what a stage reads pages with; empty while it isn't known, and without a saved parser. */
export function useLinkPaths(stage: Stage | undefined, route?: string): readonly string[] {
  const id = parserOf(stage, route);
  const parser = useQuery({
    ...operationQuery('getParser', { params: { id: id ?? '' } }),
    enabled: id !== undefined,
  });
  return parser.data ? linkPathsOf((parser.data.schema as { fields: Fields }).fields) : [];
}
