import { parseJson } from '../read/json.ts';
import { scriptsOfType } from '../read/scripts.ts';
import { arrayAt, asCount, asFilled, asText, at, first, isObject, type JsonObject } from '../read/value.ts';
import { objectsOf } from '../read/walk.ts';
import { withoutQuery } from '../read/url.ts';

const POSTINGS = new Set([
  'SocialMediaPosting',
  'DiscussionForumPosting',
  'VideoObject',
  'Article',
  'NewsArticle',
  'BlogPosting',
]);

export interface Posting {
  node: JsonObject;
  isArticle: boolean;
  isVideo: boolean;
}

function typesOf(node: JsonObject): unknown[] {
  const type = node['@type'];
  return Array.isArray(type) ? type : [type];
}

/** A posting without text, title and author has an unknown layout. */
function saysSomething(node: JsonObject): boolean {
  return ['articleBody', 'headline', 'name', 'description', 'author', 'creator'].some(
    (key) => (node[key] ?? null) !== null,
  );
}

/** The first posting of the page's JSON-LD, also inside a list or `@graph`, or of a JSON-LD body. */
export function findPosting(body: string): Posting | undefined {
  const start = body.trimStart()[0];
  const roots =
    start === '{' || start === '[' ? [parseJson(body)] : scriptsOfType(body, 'application/ld+json');
  for (const root of roots) {
    for (const node of objectsOf(root)) {
      const types = typesOf(node);
      if (!types.some((type) => typeof type === 'string' && POSTINGS.has(type)) || !saysSomething(node))
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
  return [...scriptsOfType(body, 'application/ld+json')].flatMap((root) =>
    [...objectsOf(root)].slice(0, 1).flatMap((node) => typesOf(node).map(String)),
  );
}

function personOf(node: JsonObject): unknown {
  const person = first(node['author'], node['creator']);
  return Array.isArray(person) ? person[0] : person;
}

function imageUrl(image: unknown): string | null {
  const single = Array.isArray(image) ? image[0] : image;
  return first(asFilled(single), asFilled(at(single, 'url')), asFilled(at(single, 'contentUrl')));
}

export function readAuthor({ node }: Posting): {
  name: string | null;
  url: string | null;
  image: string | null;
} {
  const person = personOf(node);
  const url = asFilled(at(person, 'url'));
  return {
    name: first(asFilled(at(person, 'name')), asFilled(person)),
    url: url === null ? null : withoutQuery(url),
    image: imageUrl(at(person, 'image')),
  };
}

export function readImages({ node, isVideo }: Posting): string[] {
  if (isVideo) return [];
  const image = node['image'];
  return (Array.isArray(image) ? image : [image]).flatMap((entry) => imageUrl(entry) ?? []);
}

/** The count of an interaction, `LikeAction` or `CommentAction`. */
export function readInteraction({ node }: Posting, action: string): number | null {
  const statistics = node['interactionStatistic'];
  for (const entry of Array.isArray(statistics) ? statistics : [statistics]) {
    const type = at(entry, 'interactionType');
    const name = first(asText(type), asText(at(type, '@type'))) ?? '';
    if (name.endsWith(action)) return asCount(at(entry, 'userInteractionCount'));
  }
  return null;
}

export interface LdComment {
  author: string | null;
  text: string | null;
  date: string | null;
}

export function readLdComments({ node }: Posting): LdComment[] {
  return arrayAt(node, 'comment')
    .filter(isObject)
    .map((comment) => ({
      author: asFilled(at(personOf(comment), 'name')),
      text: asText(comment['text']),
      date: asFilled(comment['datePublished']),
    }));
}
