import { z } from 'zod';
import { countInput, fault, flag, list, text, tokenInput, whole } from './fields.ts';
import { definePrebuiltApi } from './prebuilt-api.ts';

const usernameInput = z
  .string()
  .trim()
  .regex(
    /^@?[A-Za-z0-9._]{1,30}$/,
    'must be a user name: up to 30 letters, digits, dots and underscores (a leading @ is allowed)',
  )
  .describe('User name, with or without a leading @.');

const userIdInput = z
  .string()
  .trim()
  .regex(/^\d{1,20}$/, 'must be the numeric user id of an earlier response')
  .describe('Numeric user id, the `user_id` of the previous response. Required with a token.');

const postSchema = z.object({
  id: text('Media id.'),
  shortcode: text('The short code in the post’s address.'),
  display_url: text('Image, or the poster of a video. Signed by the site and valid for a few days.'),
  is_video: flag('Whether the post itself is a video.'),
  likes: whole('Likes; null when the owner hides them or the page does not show them.'),
  comments: whole('Comments.'),
  timestamp: whole('Unix seconds.'),
  caption: text('Caption; null when the post has none.'),
});

export const photoappProfile = definePrebuiltApi({
  id: 'photoapp-profile',
  name: 'Photo-sharing profile',
  description:
    'Profile metadata, follower counts, business information and the most recent posts of a user of the photo-sharing network.',
  input: z.strictObject({ username: usernameInput }),
  output: z.object({
    identity: z.object({
      username: text('User name.'),
      full_name: text('Display name.'),
      id: text('Numeric user id.'),
      biography: text('Biography; line breaks are kept.'),
      profile_pic_url: text('Profile picture.'),
      profile_pic_url_hd: text('Large profile picture, when the page has one.'),
      external_url: text('Link on the profile.'),
      bio_links: list(
        z.object({
          title: text('Title of the link.'),
          url: text('Target.'),
          link_type: text('The site’s name for the kind of link: `external`, …'),
        }),
        'Links in the biography.',
      ),
    }),
    metrics: z.object({
      followers: whole('Followers. Rounded when the page shows only `15.6M`.'),
      following: whole('Accounts followed.'),
      posts: whole('Posts.'),
    }),
    account_type: z.object({
      is_verified: flag('Whether the account is verified.'),
      is_private: flag('Whether only followers see the posts.'),
      is_business_account: flag('Whether it is a business account.'),
      is_professional_account: flag('Whether it is a business or creator account.'),
    }),
    business_info: z.object({
      category_name: text('Category shown on the profile.'),
      email: text('Public business e-mail address.'),
      phone_number: text('Public business phone number.'),
    }),
    content: z.object({
      has_clips: flag('Whether the account has reels.'),
      highlight_reel_count: whole('Story highlights.'),
      recent_posts: list(postSchema, 'The newest posts on the page; empty for private accounts.'),
    }),
    pagination: z.object({ end_cursor: text('Cursor for photoapp-posts.') }),
  }),
  rowKey: { key: [{ column: 'id', path: 'identity.id' }] },
});

export const photoappReels = definePrebuiltApi({
  id: 'photoapp-reels',
  name: 'Photo-sharing reels',
  description:
    'A page of a user’s reels. Send `username` for the first page, and `user_id` and `continuation` of the previous response for the next.',
  input: z
    .strictObject({
      username: usernameInput.optional(),
      user_id: userIdInput.optional(),
      continuation: tokenInput('`pagination.continuation` of the previous response.').optional(),
      page_size: countInput(50, 'Reels per page, 1 to 50.'),
    })
    .refine((input) => input.continuation === undefined || input.user_id !== undefined, {
      ...fault('user_id', 'is required together with continuation'),
    })
    .refine((input) => input.username !== undefined || input.user_id !== undefined, {
      ...fault('username', 'is required for the first page (or user_id and continuation for a later one)'),
    }),
  output: z.object({
    user_id: text('Numeric user id, to send with the continuation.'),
    reels: list(
      z.object({
        id: text('Media id.'),
        shortcode: text('The short code in the reel’s address.'),
        display_url: text('Poster image.'),
        video_url: text('Video file. Signed by the site and valid for a few days.'),
        likes: whole('Likes.'),
        comments: whole('Comments.'),
        plays: whole('Plays.'),
        timestamp: whole('Unix seconds.'),
        caption: text('Caption; null when there is none.'),
      }),
      'Reels in the order of the site.',
    ),
    pagination: z.object({
      has_next_page: z.boolean(),
      continuation: text('Token of the next page; null on the last one.'),
    }),
  }),
  rowKey: { list: 'reels', key: [{ column: 'id', path: 'id' }] },
});

export const photoappPosts = definePrebuiltApi({
  id: 'photoapp-posts',
  name: 'Photo-sharing posts',
  description:
    'A page of a user’s posts. Send `username` for the first page, and `user_id` and `cursor` of the previous response for the next.',
  input: z
    .strictObject({
      username: usernameInput.optional(),
      user_id: userIdInput.optional(),
      cursor: tokenInput('`pagination.end_cursor` of the previous response.').optional(),
      first: countInput(50, 'Posts per page, 1 to 50.'),
    })
    .refine((input) => input.cursor === undefined || input.user_id !== undefined, {
      ...fault('user_id', 'is required together with cursor'),
    })
    .refine((input) => input.username !== undefined || input.user_id !== undefined, {
      ...fault('username', 'is required for the first page (or user_id and cursor for a later one)'),
    }),
  output: z.object({
    user_id: text('Numeric user id, to send with the cursor.'),
    posts: list(postSchema, 'Posts in the order of the site, pinned ones first.'),
    pagination: z.object({
      has_next_page: z.boolean(),
      end_cursor: text('Cursor of the next page; null on the last one.'),
    }),
  }),
  rowKey: { list: 'posts', key: [{ column: 'id', path: 'id' }] },
});
