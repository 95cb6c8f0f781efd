import type { PREBUILT_APIS } from '@gleaner/contracts';
import type { z } from 'zod';

type Profile = z.output<(typeof PREBUILT_APIS)['photoapp-profile']['output']>;

export type BioLink = Profile['identity']['bio_links'][number];

/** The data of one source about a user, in the fields of the profile endpoint. */
export interface UserView extends Partial<
  Profile['identity'] &
    Profile['metrics'] &
    Profile['account_type'] &
    Profile['business_info'] &
    Omit<Profile['content'], 'recent_posts'>
> {
  /** The source knows more than the meta elements of a page. */
  isData: boolean;
}

/** Merges several views of one user: each field comes from the first source that has it. */
export function mergeUsers(views: readonly UserView[]): UserView | undefined {
  const [best, ...others] = views;
  return best && others.reduce(filled, best);
}

function filled(known: UserView, other: UserView): UserView {
  if (known.id != null && other.id != null && known.id !== other.id) return known;
  const own = Object.entries(known).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return { ...other, ...Object.fromEntries(own) };
}
