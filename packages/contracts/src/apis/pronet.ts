import { z } from 'zod';
import { addressInput, decimal, fault, list, text } from './fields.ts';
import { definePrebuiltApi } from './prebuilt-api.ts';

export const pronetPost = definePrebuiltApi({
  id: 'pronet-post',
  name: 'Professional-network post',
  description:
    'A public post or article with the comments and counts that are visible without login. Takes update, post and article addresses, article slugs and bare activity ids.',
  input: z
    .strictObject({
      url: addressInput('Feed or update, post or article address, or a bare activity id.').optional(),
      slug: addressInput('Article slug or bare activity id.').optional(),
    })
    .refine((input) => input.url !== undefined || input.slug !== undefined, {
      ...fault('url', 'is required, or slug'),
    })
    .refine((input) => input.url === undefined || input.slug === undefined, {
      ...fault('slug', 'cannot be sent together with url'),
    }),
  output: z.object({
    canonical_url: text('Address of the post without query.'),
    headline: text('Title of an article; first sentence of a post.'),
    text: text('Full text; line breaks are kept.'),
    published_at: text('ISO 8601 date-time, or only a date when the page has no time.'),
    author: z.object({
      name: text('Person or company.'),
      url: text('Address of the profile.'),
      image: text('Picture.'),
    }),
    reaction_count: decimal('Reactions.'),
    comment_count: decimal('Number of comments, often more than are listed.'),
    images: list(z.string(), 'Pictures of the post; empty for a video.'),
    comments: list(
      z.object({
        author: text('Name.'),
        pronet_url: text('Address of the commenter’s profile; usually unavailable.'),
        text: text('Text; empty for a comment with only a picture.'),
        date_published: text('ISO 8601 date-time.'),
      }),
      'Comments in the order of the page.',
    ),
  }),
  rowKey: { key: [{ column: 'canonical_url', path: 'canonical_url' }] },
});
