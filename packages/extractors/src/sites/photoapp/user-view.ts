export interface BioLink {
  title: string | null;
  url: string | null;
  link_type: string | null;
}

/** The data of one source about a user; null for unknown fields. */
export interface UserView {
  username: string | null;
  full_name: string | null;
  id: string | null;
  biography: string | null;
  profile_pic_url: string | null;
  profile_pic_url_hd: string | null;
  external_url: string | null;
  bio_links: BioLink[];
  followers: number | null;
  following: number | null;
  posts: number | null;
  is_verified: boolean | null;
  is_private: boolean | null;
  is_business_account: boolean | null;
  is_professional_account: boolean | null;
  category_name: string | null;
  email: string | null;
  phone_number: string | null;
  has_clips: boolean | null;
  highlight_reel_count: number | null;
  /** The source knows more than the meta elements of a page. */
  isData: boolean;
}

/** A source without any data. */
export const NOTHING: UserView = {
  username: null,
  full_name: null,
  id: null,
  biography: null,
  profile_pic_url: null,
  profile_pic_url_hd: null,
  external_url: null,
  bio_links: [],
  followers: null,
  following: null,
  posts: null,
  is_verified: null,
  is_private: null,
  is_business_account: null,
  is_professional_account: null,
  category_name: null,
  email: null,
  phone_number: null,
  has_clips: null,
  highlight_reel_count: null,
  isData: false,
};

/** Merges several views: each field comes from the first source that has it. */
export function mergeUsers(views: readonly UserView[]): UserView | undefined {
  const [best, ...others] = views;
  if (!best) return undefined;
  const merged = { ...best };
  for (const other of others) {
    if (merged.id !== null && other.id !== null && merged.id !== other.id) continue;
    fill(merged, other);
  }
  return merged;
}

function fill(target: UserView, source: UserView): void {
  const links = target.bio_links.length > 0 ? target.bio_links : source.bio_links;
  const known = Object.fromEntries(Object.entries(target).filter(([, value]) => value !== null));
  Object.assign(target, { ...source, ...known, bio_links: links });
}
