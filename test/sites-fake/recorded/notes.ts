/** Why a recording's expected values are not compared, or disagree: `<api>/<part of its name>` → note. */
export const NOTES: Readonly<Record<string, string>> = {
  'photoapp-profile/PARSED_xig_user':
    'not a recording: another project’s parsed output with names of its own; kept only to compare types',
};

/** Outcomes that are right for what a recording is said to be. */
export const OUTCOMES: Readonly<Record<string, readonly string[]>> = {
  ok: ['ok'],
  live: ['ok'],
  upcoming: ['ok'],
  age_restricted: ['ok'],
  'geo-blocked': ['ok'],
  'members-only': ['ok'],
  unplayable_but_metadata_present: ['ok'],
  not_found: ['not_found'],
  nonexistent: ['not_found'],
  terminated: ['not_found'],
  invalid_request: ['not_found'],
  not_found_or_blocked: ['not_found', 'blocked'],
  absent_or_blocked: ['not_found', 'blocked'],
  private: ['private'],
  blocked: ['blocked'],
  captcha: ['blocked'],
  challenge_page: ['blocked'],
  consent_wall: ['blocked'],
  bot_check: ['blocked'],
  age_gated_channel: ['blocked'],
  no_data: ['blocked'],
  rate_limited: ['rate_limited'],
};
