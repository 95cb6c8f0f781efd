/** What names a zone right after a time, in words that are common enough to mean something else elsewhere. */
const AFTER = [
  String.raw`(?:local|server|(?!read)\p{L}[\p{L}.]+(?:\s\p{L}+){0,2})\stime(?![\p{L}:])`,
  String.raw`heure(?!\p{L})`,
  String.raw`(?:hora|horário|horario|ora)\s(?:d[aeo]l?|di|loca\p{L}+|\p{L}+[ao]l?[ae]?)(?!\p{L})`,
  String.raw`(?:uhr\s)?\p{L}+er\szeit(?!\p{L})`,
  String.raw`(?:по|за)\s\p{L}{4,}`,
  String.raw`\p{L}+se\stijd(?!\p{L})`,
  String.raw`(?:lokal|\p{L}+sk)\stid(?!\p{L})`,
  String.raw`\p{L}+\s(?:aikaa|idő|saati\p{L}*)(?!\p{L})`,
  String.raw`(?:giờ|waktu)\s\p{L}+`,
  String.raw`[\p{Script=Han}\p{Script=Katakana}ー]{2,8}[時时][間间]`,
  String.raw`\p{Script=Hangul}{2,6}\s?시간`,
  // `10:00 (Brasília)`, `10:00 (de Brasilia)`
  String.raw`(?<=[(])(?:de\s)?(?!updated|edited|posted|modified|live|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\p{L}{3,}(?:\s\p{L}+){0,2}\)`,
];

/** What names a zone wherever it stands beside a time. */
const ANYWHERE = [
  String.raw`(?<!\p{L})(?:мск|сеч|seč|selč|tsİ|tsi)(?!\p{L})`,
  String.raw`(?<!\p{L})(?:local|moscow|beijing|tokyo|(?:eastern|central|pacific|mountain)(?:\s(?:standard|daylight))?)\stime(?!\p{L})`,
  String.raw`(?<!\p{L})(?:по|за)\s(?:москве|киеву|києвом|минску)(?!\p{L})|\p{L}+(?:ому|ким|вим)\s(?:времени|часом)(?!\p{L})`,
  String.raw`(?:московское|местное)\sвремя|время\s(?:московское|местное)|местного\sвремени|(?:київський|місцевий)\sчас`,
  String.raw`(?<!\p{L})(?:orts|lokal|\p{L}+er\s(?:orts|sommer|winter|normal))zeit(?!\p{L})|(?:moskauer|deutscher|mitteleuropäischer)\szeit`,
  String.raw`(?<!\p{L})heure\s(?:locale|française|de\s(?:paris|montréal|bruxelles|genève|l['’]est))`,
  String.raw`(?<!\p{L})(?:hora|horário|horario)\s(?:local|peninsular|oficial|española|de\s(?:madrid|méxico|españa|lisboa|brasília|brasilia))`,
  String.raw`(?<!\p{L})ora\s(?:locale|italiana|di\sroma|româniei|locală|bucureștiului)`,
  String.raw`(?<!\p{L})(?:lokale|plaatselijke|nederlandse|belgische)\stijd|(?:lokal|svensk|dansk|norsk)\stid(?!\p{L})`,
  String.raw`(?<!\p{L})czasu?\s(?:lokaln|polski|miejscow|warszawski)|(?:místního|miestneho|středoevropského)\sčasu`,
  String.raw`(?:suomen|paikallista)\saikaa|(?:helyi|magyar)\sidő|(?:türkiye|yerel)\ssaat|τοπική\sώρα|ώρα\sελλάδ`,
  String.raw`توقيت|به\sوقت|שעון|по\sбългарско\sвреме|po\s\p{L}+\svremenu`,
  String.raw`(?:北京|台北|臺北|台灣|台湾|香港|东京|東京|日本|韩国|韓国|中国|中國|美东|美東|纽约|紐約|伦敦|倫敦|当地|當地|本地|現地|格林威治|格林尼治|莫斯科|太平洋|[東东西中]部)(?:標準|标准)?[時时][間间]`,
  String.raw`[標标][準准][時时]|世界[時时]`,
  String.raw`(?:한국|현지|일본|미국|중국|서울)\s?(?:표준시|시간)`,
];

export const ZONE_AFTER = new RegExp(String.raw`^[\s,;]*(?:[([]\s*)?(${AFTER.join('|')})`, 'iu');
export const ZONE_ANYWHERE = new RegExp(ANYWHERE.join('|'), 'iu');
