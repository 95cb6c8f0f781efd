import type { TreeElement } from '@gleaner/html';

/** What sites call the parts of a page, in class names, ids and roles. */
const GROUPS = [
  'nav navbar navigation menu menubar submenu megamenu dropdown tabs tab tablist skip toggle hamburger drawer mobile',
  'footer foot colophon bottom contentinfo copyright legal',
  'header masthead topbar banner top hero',
  'sidebar aside complementary widget widgets rail secondary sticky',
  'comment comments disqus respond discussion replies',
  'related recommend recommended recommendation recommendations recirc more also similar recent popular trending ' +
    'suggested upsell crosssell recently viewed next previous prev outbrain taboola latest readmore',
  'share sharing social follow facebook twitter sharedaddy addtoany print',
  'newsletter subscribe subscription signup promo promotion ad ads advert advertisement adsense sponsor sponsored cta ' +
    'banner callout offer donate optin',
  'cookie cookies consent gdpr modal popup overlay dialog alert notice notification toast alertdialog tooltip lightbox',
  'breadcrumb breadcrumbs crumbs toc pagination pager paging page contents jump',
  'review reviews rating ratings testimonial testimonials stars feedback',
  'author byline meta metadata date time tags tag category categories bio avatar published posted info timestamp credit',
  'search searchbox filter filters facet facets refine sort sorting toolbar controls options form select input login ' +
    'account cart checkout wishlist basket button btn buttons action actions quantity variant swatch',
  'article content entry post body story text prose main richtext markdown copy paragraph description',
  'product products item items card cards tile price prices spec specs specification specifications detail details ' +
    'features feature summary grid list listing results result catalog',
  'thread message messages topic topics reply posts answer answers question questions',
  'title heading headline subtitle name lead intro',
  'hidden hide visually sr screenreader offscreen only invisible collapsed accessibility',
  'image images gallery carousel slider slide slick swiper thumbnail media caption figure video player photo',
  'faq faqs accordion',
];

export const NAME_GROUPS = GROUPS.length + 1;

/** Bit of what browsers hide until a script shows it. */
export const CONCEALED = 1 << GROUPS.length;

/** Bit of the names of what only some readers see. */
export const UNSEEN_NAMES = 1 << GROUPS.findIndex((words) => words.startsWith('hidden'));

const BITS = new Map<string, number>();
for (const [index, words] of GROUPS.entries()) {
  for (const word of words.split(' ')) BITS.set(word, (BITS.get(word) ?? 0) | (1 << index));
}

/** Names longer than this are machine-made styles. */
const MAX_LENGTH = 400;

/** Bits of the groups that the element's class, id and role belong to. `known` keeps those of names seen before. */
export function namesOf({ attributes }: TreeElement, known: Map<string, number>): number {
  let all = 0;
  for (const { name, value } of attributes) {
    if (name !== 'class' && name !== 'id' && name !== 'role') continue;
    let bits = known.get(value);
    if (bits === undefined) {
      bits = 0;
      for (const [word] of value.slice(0, MAX_LENGTH).matchAll(/[A-Z]?[a-z]+|[A-Z]+/g))
        bits |= BITS.get(word.toLowerCase()) ?? 0;
      known.set(value, bits);
    }
    all |= bits;
  }
  return all;
}
