import { z } from 'zod';
import { addressInput, flag, text, whole } from './fields.ts';
import { definePrebuiltApi } from './prebuilt-api.ts';

export const shortvideoProfile = definePrebuiltApi({
  id: 'shortvideo-profile',
  name: 'Short-video profile',
  description: 'Identity, counters, privacy and commerce flags of a user of the short-video network.',
  input: z.strictObject({
    username: z
      .string()
      .trim()
      .regex(
        /^@?[\p{L}\p{N}._]{1,32}$/u,
        'must be a user name: letters, digits, dots and underscores (a leading @ is allowed)',
      )
      .describe('User name, with or without a leading @.'),
  }),
  output: z.object({
    identity: z.object({
      user_id: text('Numeric user id.'),
      unique_id: text('User name in its stored spelling.'),
      nickname: text('Display name.'),
      bio: text('Biography; empty when there is none.'),
      verified: flag('Whether the account is verified.'),
      avatar_large: text('Largest avatar. Signed by the site; expires.'),
      bio_link: text('Link of the biography, often without a scheme.'),
      profile_url: text('Address of the profile.'),
    }),
    stats: z.object({
      follower_count: whole('Followers.'),
      following_count: whole('Accounts followed.'),
      heart_count: whole('Likes received.'),
      video_count: whole('Videos.'),
    }),
    privacy: z.object({
      private_account: flag('Whether only followers see the videos.'),
      comment_setting: whole('0 everyone, 1 friends, 3 nobody.'),
    }),
    commerce: z.object({
      commerce_user: flag('Whether it is a business account.'),
      tt_seller: flag('Whether it sells on the network.'),
    }),
  }),
  rowKey: { key: [{ column: 'user_id', path: 'identity.user_id' }] },
});

export const shortvideoVideo = definePrebuiltApi({
  id: 'shortvideo-video',
  name: 'Short-video video',
  description: 'One video or photo post of the short-video network.',
  input: z.strictObject({ url: addressInput('Address of the video, or its short link.') }),
  output: z.object({
    id: text('Video id.'),
    description: text('Text of the post, hashtags and mentions included.'),
    create_time: whole('Unix seconds.'),
    author: z.object({
      id: text('Numeric user id.'),
      unique_id: text('User name.'),
      nickname: text('Display name.'),
      verified: flag('Whether the author is verified.'),
    }),
    stats: z.object({
      play_count: whole('Plays.'),
      like_count: whole('Likes.'),
      comment_count: whole('Comments.'),
      share_count: whole('Shares.'),
    }),
    video: z.object({
      duration: whole('Seconds; 0 for a photo post.'),
      cover: text('Cover image. Signed by the site; expires.'),
      play_url: text('Video file, playable only with the cookies of the same visit; null for a photo post.'),
    }),
    music: z.object({
      id: text('Sound id.'),
      title: text('Title of the sound.'),
      author: text('Author of the sound.'),
    }),
  }),
  rowKey: { key: [{ column: 'id', path: 'id' }] },
});
