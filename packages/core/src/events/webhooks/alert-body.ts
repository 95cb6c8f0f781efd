import { cutText, type AlertChannel, type AlertTo } from '@gleaner/contracts';
import { describeGroup, writeLines, type AlertGroup } from './alert-text.ts';

/** What an alert sends over HTTP. */
export interface AlertRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** What an alert sends by e-mail. */
export interface AlertMail {
  to: string;
  subject: string;
  text: string;
}

export interface AlertFacts {
  /** The sealed part, opened. */
  to: AlertTo;
  id: string;
  name: string;
  group: AlertGroup;
  /** The public address of the service, without a slash at its end. */
  baseUrl: string;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** How each channel writes a text that must not become markup, and an address of ours. */
const WRITING = {
  slack: {
    escape: (text: string) => text.replaceAll(/[&<>]/g, (c) => ESCAPES[c] ?? c),
    link: (url: string) => url,
  },
  discord: {
    escape: (text: string) => text.replaceAll(/[\\`*_~|<>#[\]()-]/g, '\\$&'),
    link: (url: string) => `<${url}>`,
  },
  ntfy: { escape: (text: string) => text, link: (url: string) => url },
  email: { escape: (text: string) => text, link: (url: string) => url },
  webhook: { escape: (text: string) => text, link: (url: string) => url },
} satisfies Record<AlertChannel, object>;

/** Discord takes 2,000 characters, ntfy 4,096 bytes. */
const LONGEST = {
  slack: 20_000,
  discord: 1_900,
  ntfy: 1_300,
  email: 50_000,
  webhook: 20_000,
} as const satisfies Record<AlertChannel, number>;

function textOf({ to: { type }, name, group, baseUrl }: AlertFacts) {
  const message = describeGroup(group);
  const { escape, link } = WRITING[type];
  const text = writeLines(message, { baseUrl, escape, link }).join('\n\n');
  const [first] = message.lines;
  return {
    title: message.title,
    text: cutText(text, LONGEST[type]),
    name: escape(name),
    url: `${baseUrl}${first?.path ?? '/alerts'}`,
  };
}

const JSON_TYPE = { 'content-type': 'application/json', 'user-agent': 'Gleaner-Alerts/1' };

/** The mail of an alert; its subject has words of our own alone. */
export function mailOf(facts: AlertFacts, address: string): AlertMail {
  const { title, text, name } = textOf(facts);
  return {
    to: address,
    subject: `Gleaner: ${title}`,
    text: `${text}\n\n-- \nThe alert ${name} of Gleaner sends this: ${facts.baseUrl}/alerts\n`,
  };
}

/** The request of an alert that isn't an e-mail. */
export function requestOf(facts: AlertFacts, to: Exclude<AlertTo, { type: 'email' }>): AlertRequest {
  const { title, text, name, url } = textOf(facts);
  switch (to.type) {
    case 'slack': {
      const body = {
        text: `${title} (${name})\n\n${text}`,
        mrkdwn: false,
        unfurl_links: false,
        unfurl_media: false,
      };
      return { url: to.url, headers: JSON_TYPE, body: JSON.stringify(body) };
    }
    case 'discord': {
      const content = cutText(`**${title}** (${name})\n\n${text}`, 2_000);
      // Nobody is mentioned, whatever the text says, and no address becomes a preview.
      const body = { content, allowed_mentions: { parse: [] }, flags: 4 };
      return { url: to.url, headers: JSON_TYPE, body: JSON.stringify(body) };
    }
    case 'ntfy': {
      const { 'user-agent': agent } = JSON_TYPE;
      const headers = { 'content-type': 'text/plain; charset=utf-8', 'user-agent': agent, title, click: url };
      const { token } = to;
      return {
        url: to.url,
        headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
        body: text,
      };
    }
    case 'webhook': {
      const { counts, events } = facts.group;
      const alert = { id: facts.id, name: facts.name };
      return {
        url: to.url,
        headers: JSON_TYPE,
        body: JSON.stringify({ type: 'alert', alert, title, text, url, counts, events }),
      };
    }
  }
}
