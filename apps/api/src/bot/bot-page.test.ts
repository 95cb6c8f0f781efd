import { expect, it } from 'vitest';
import { buildBotPage } from './bot-page.ts';

const FACTS = {
  name: 'ShopBot',
  publicUrl: 'https://gleaner.example/base',
  contact: 'crawls@gleaner.example',
};

it('says who crawls, how to forbid it, and whom to write to', () => {
  const page = buildBotPage(FACTS);
  expect(page).toContain('<h1>ShopBot</h1>');
  expect(page).toContain('User-agent: ShopBot\nDisallow: /</pre>');
  expect(page).toContain('<a href="https://gleaner.example/base">gleaner.example</a>');
  expect(page).toContain('<a href="mailto:crawls@gleaner.example">crawls@gleaner.example</a>');
  expect(buildBotPage({ ...FACTS, contact: 'https://a.example/?x=1&y="' })).toContain(
    '<a href="https://a.example/?x=1&amp;y=&quot;">',
  );
});

it('says that there is no address when none is set', () => {
  const page = buildBotPage({ ...FACTS, publicUrl: undefined, contact: undefined });
  expect(page).toContain('has published no address');
  expect(page).not.toContain('undefined');
});
