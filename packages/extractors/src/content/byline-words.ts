import { perLanguage } from '../values/languages.ts';
import { monthsIn } from '../values/month-names.ts';
import { weekdayNames } from '../values/weekday-names.ts';

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}

const PUBLISHED =
  'published posted written created issued submitted uploaded added veröffentlicht erstellt publié publiée publicado ' +
  'publicada pubblicato pubblicata geplaatst gepubliceerd opublikowano dodano опубликовано publicerad publicerat ' +
  'publisert udgivet julkaistu yayınlanma közzétéve publikováno publicat 公開 公開日 投稿 投稿日 掲載 发布 发布于 发布时间 发表于 發布 게시 등록 입력';
const CHANGED =
  'updated modified edited revised changed aktualisiert geändert bearbeitet actualisé modifié actualizado modificado ' +
  'atualizado aggiornato bijgewerkt gewijzigd zaktualizowano обновлено изменено uppdaterad uppdaterat oppdatert ' +
  'opdateret päivitetty güncellenme frissítve aktualizováno actualitzat 更新 更新日 最終更新 最終更新日 更新于 更新时间 수정';

/** Where a part of a byline with a label of its own begins: `Published March 3 Updated April 4`. */
export const LABEL_START = new RegExp(
  String.raw`(?<!\p{L})(?=(?:${`${PUBLISHED} ${CHANGED}`.replaceAll(' ', '|')})(?!\p{L}))`,
  'iu',
);

const CHANGED_WORDS = setOf(CHANGED);

/** Words that a byline has beside its date and its names. */
const KNOWN = setOf(
  `${PUBLISHED} ${CHANGED} ` +
    'on at in of the first last date dated day time am pm a p m th st nd rd by and from to est edt pst pdt cst cdt gmt utc ' +
    'cet cest bst um uhr von vom den der am zuletzt datum stand le la les du à h par mis mise jour dernière el de del a ' +
    'las los por en última fecha il alle di da data em op om door laatst dne w o godz r г в от kl af på og i og av ' +
    'min mins minute minutes read reading comment comments no views edition ago 年 月 日 日付 日期 년 월 일',
);

/** Words before a date that is of something else than the page. */
const OTHERS = setOf(
  'born died birth death closing closes deadline due apply application register effective expires expiry expiration ' +
    'valid until till before after release released releases launch event events starts start ends end begins opening ' +
    'opens founded established since joined copyright arrival delivery ships geboren gestorben frist gültig bis ab seit ' +
    'erscheint erscheinungsdatum veranstaltung né née nacido nato scadenza',
);

const weekdaysIn = perLanguage((language): ReadonlySet<string> => {
  const names = [...weekdayNames(language, 'long'), ...weekdayNames(language, 'short')];
  return new Set(names.map((name) => name.replaceAll('.', '')));
});

const WORD = /\p{L}[\p{L}\p{M}'’]*/gu;

/** The words of a byline that are neither of its date nor usual beside one. */
export function otherWords(text: string, language: string | undefined): string[] {
  const months = monthsIn(language).names;
  const isOther = (word: string): boolean =>
    !KNOWN.has(word) && !months.has(word) && !weekdaysIn(language).has(word) && !weekdaysIn('en').has(word);
  return (text.match(WORD) ?? []).filter((word) => isOther(word.toLowerCase()));
}

function hasWord(text: string, words: ReadonlySet<string>): boolean {
  return (text.match(WORD) ?? []).some((word) => words.has(word.toLowerCase()));
}

/** Whether the text says that its date is of something else: `Born April 4, 1950`. */
export function namesOther(text: string): boolean {
  return hasWord(text, OTHERS);
}

/** Whether the text says that its date is that of a change: `Last updated April 4, 2026`. */
export function namesChange(text: string): boolean {
  return hasWord(text, CHANGED_WORDS);
}
