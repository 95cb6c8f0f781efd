import { isJson, parseJson } from '../read/json.ts';
import { jsonScripts } from '../read/html.ts';
import { isObject } from '@gleaner/contracts/values';
import {
  arrayAt,
  asFilled,
  asText,
  at,
  countAt,
  filledAt,
  first,
  textAt,
  type JsonObject,
  objectsOf,
} from '../read/value.ts';
import { withoutQuery } from '../read/url.ts';

const POSTINGS = new Set<unknown>(
  'SocialMediaPosting DiscussionForumPosting VideoObject Article NewsArticle BlogPosting'.split(' '),
);

/** A posting without text, title and author has an unknown layout. */
const SAYS_SOMETHING = ['articleBody', 'headline', 'name', 'description', 'author', 'creator'];

export interface Posting {
  node: JsonObject;
  isArticle: boolean;
  isVideo: boolean;
}

function typesOf(node: JsonObject): unknown[] {
  const type = node['@type'];
  return Array.isArray(type) ? type : [type];
}

/** The first posting of the page's JSON-LD, also inside a list or `@graph`, or of a JSON-LD body. */
export function findPosting(body: string): Posting | undefined {
  const roots = isJson(body) ? [parseJson(body)] : jsonScripts(body, 'type', 'application/ld+json');
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const types = typesOf(node);
      if (
        !types.some((type) => POSTINGS.has(type)) ||
        !SAYS_SOMETHING.some((key) => (node[key] ?? null) !== null)
      )
        continue;
      return {
        node,
        isVideo: types.includes('VideoObject'),
        isArticle: types.some((type) => typeof type === 'string' && type.endsWith('Article')),
      };
    }
  }
  return undefined;
}

/** Kinds of JSON-LD on the page, for the evidence of a page without a posting. */
export function ldTypes(body: string): string[] {
  return [...jsonScripts(body, 'type', 'application/ld+json')].flatMap((root) =>
    [...objectsOf(root)].slice(0, 1).flatMap((node) => typesOf(node).map(String)),
  );
}

function personOf(node: unknown): unknown {
  const person = at(node, 'author') ?? at(node, 'creator');
  return Array.isArray(person) ? person[0] : person;
}

function imageUrl(image: unknown): string | null {
  const single = Array.isArray(image) ? image[0] : image;
  return first(asFilled(single), filledAt(single, 'url', 'contentUrl'));
}

export interface Person {
  name: string | null;
  url: string | null;
  image: string | null;
}

export function readAuthor(node: unknown): Person {
  const person = personOf(node);
  const url = filledAt(person, 'url');
  return {
    name: first(filledAt(person, 'name'), asFilled(person)),
    url: url === null ? null : withoutQuery(url),
    image: imageUrl(at(person, 'image')),
  };
}

export function readImages(node: unknown): string[] {
  const image = at(node, 'image');
  return (Array.isArray(image) ? image : [image]).flatMap((entry) => imageUrl(entry) ?? []);
}

/** The count of an interaction, `LikeAction` or `CommentAction`. */
export function readInteraction(node: unknown, action: string): number | null {
  const statistics = at(node, 'interactionStatistic');
  for (const entry of Array.isArray(statistics) ? statistics : [statistics]) {
    const type = at(entry, 'interactionType');
    const name = first(asText(type), textAt(type, '@type')) ?? '';
    if (name.endsWith(action)) return countAt(entry, 'userInteractionCount');
  }
  return null;
}

export interface PostComment {
  author: string | null;
  /** Only the markup has it. */
  url: string | null;
  text: string | null;
  date: string | null;
}

export function readLdComments(node: unknown): PostComment[] {
  return arrayAt(node, 'comment')
    .filter(isObject)
    .map((comment) => ({
      author: filledAt(personOf(comment), 'name'),
      url: null,
      text: textAt(comment, 'text'),
      date: filledAt(comment, 'datePublished'),
    }));
}
