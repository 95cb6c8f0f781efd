/** Names of columns and fields that say what a row is. */
export const TITLES = /^(title|name|headline|product|label|heading)$/i;
