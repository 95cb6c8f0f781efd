import { describe, expect, it } from 'vitest';
import { createMoneyReader } from './money.ts';

function read(text: string | number, context = {}, locale?: string): string {
  const reading = createMoneyReader(locale)(text, context);
  return reading.state === 'value' ? `${reading.value.amount} ${reading.value.currency}` : reading.state;
}

describe('money', () => {
  it.each([
    ['1.234,56 €', '1234.56 EUR'],
    ['£9.99', '9.99 GBP'],
    ['Rp 169.000', '169000 IDR'],
    ['1.727 Ft', '1727 HUF'],
    ['200.000 đ', '200000 VND'],
    ['2 660 грн.', '2660 UAH'],
    ['12,99 zł', '12.99 PLN'],
    ['$12.99', '12.99 USD'],
    ['$ 12.99 CAD', '12.99 CAD'],
    ['CAD $12.99', '12.99 CAD'],
    ['C $12.99', '12.99 CAD'],
    ['US $12.99', '12.99 USD'],
    ['AU$1,299.00', '1299 AUD'],
    ['R$ 1.299,90', '1299.9 BRL'],
    ['NT$1,299', '1299 TWD'],
    ['S/. 129.90', '129.9 PEN'],
    ['3,500円', '3500 JPY'],
    ['12,000원', '12000 KRW'],
    ['١٢٩,٥٠ ج.م', '129.5 EGP'],
    ['د.إ 1,299', '1299 AED'],
    ['AED 8000 (USD 2179)', '8000 AED'],
    ['£9.99 $13.71', '9.99 GBP'],
    ['12.99', '12.99 null'],
    ['¥1,299', '1299 null'],
    ['1 299 kr', '1299 null'],
    ['Free!', '0 null'],
    ['20 %', 'invalid'],
    ['21% btw: 49,95', '49.95 null'],
    ['%20 1.299,90 TL', '1299.9 TRY'],
    ['$ 499.00 MN', '499 USD'],
    ['12 lei 99 bani', '12.99 null'],
    ['Call us', 'invalid'],
    ['{"price": "1.299", "priceCurrency": "EUR"}', '1299 EUR'],
    ['{"lowPrice": 12.5, "priceCurrency": "USD"}', '12.5 USD'],
  ])('%s is %s', (text, expected) => {
    expect(read(text)).toBe(expected);
  });

  it.each([
    ['$12', { url: 'https://shop.example.ca/x' }, '12 CAD'],
    ['$12', { url: 'https://shop.com.au' }, '12 AUD'],
    ['$12', { url: 'https://shop.co' }, '12 USD'],
    ['$12', { url: 'https://shop.com.co/' }, '12 COP'],
    ['$12', { spoken: 'en-NZ' }, '12 NZD'],
    ['$12', { spoken: 'en-US', url: 'https://shop.ca' }, '12 CAD'],
    ['$12', { spoken: 'de', url: 'https://shop.de' }, '12 USD'],
    ['¥12', { spoken: 'ja' }, '12 JPY'],
    ['¥12', { spoken: 'zh-CN' }, '12 CNY'],
    ['12 kr', { spoken: 'da' }, '12 DKK'],
    ['12 kr', { url: 'http://shop.se:8080/' }, '12 SEK'],
    ['£12', { url: 'https://shop.co.uk' }, '12 GBP'],
    ['Rs 12', { spoken: 'en-PK' }, '12 PKR'],
    ['12 kr', { spoken: '{{ lang }}' }, '12 null'],
    ['{12 EUR}', {}, '12 EUR'],
    ['{"PRICE": 12', {}, '12 null'],
  ])('%s on a page of %j is %s', (text, context, expected) => {
    expect(read(text, context)).toBe(expected);
  });

  it.each<[value: string | number, expected: string, locale?: string]>([
    [1.299, '1.299 null'],
    [1.299, '1.299 null', 'de'],
    [-1.125, '-1.125 null'],
    [1e-7, '1e-7 null'],
    ['1.659', '1.659 null'],
    ['{"price": 1.299, "priceCurrency": "EUR"}', '1.299 EUR'],
    ['{"price": 12.345, "priceCurrency": "EUR"}', '12.345 EUR', 'de'],
    ['{"amount": 1.299, "currency": "USD"}', '1.299 USD'],
    ['{"lowPrice": 1.125, "priceCurrency": "KWD"}', '1.125 KWD'],
    ['{"price": "1.659", "priceCurrency": "EUR"}', '1.659 EUR'],
    ['{"price": "1.659", "priceCurrency": "EUR"}', '1659 EUR', 'de'],
    ['{"price": "1,659", "priceCurrency": "EUR"}', '1659 EUR'],
    ['{"price": "1.659,00 €", "priceCurrency": "EUR"}', '1659 EUR'],
    ['{"price": "169.000", "priceCurrency": "IDR"}', '169000 IDR'],
    ['{"price": 1.5, "priceCurrency": "IDR"}', '1.5 IDR'],
    ['{"price": "1.250", "priceCurrency": "KWD"}', '1.25 KWD'],
  ])('reads %j of data as %s', (value, expected, locale) => {
    expect(read(value, { isData: true }, locale)).toBe(expected);
  });

  it('takes the country of the locale first', () => {
    expect(read('$1.299', { url: 'https://shop.ca' }, 'es-CL')).toBe('1299 CLP');
  });
});

describe('currencies in words, glued and in hundredths', () => {
  it.each<[text: string, spoken: string, amount: number, currency: string | null]>([
    ['99¢', 'en-US', 0.99, 'USD'],
    ['50p', 'en-GB', 0.5, 'GBP'],
    ['50 p', 'en-GB', 50, null],
    ['25 öre', 'sv', 0.25, 'SEK'],
    ['99 Cent', 'de', 0.99, null],
    ['99 €-Cent', 'de', 0.99, 'EUR'],
    ['99 Eurocent', 'de', 0.99, 'EUR'],
    ['99 euro cents', 'en', 0.99, 'EUR'],
    ['99 ¢ USD', 'en-CA', 0.99, 'USD'],
    ['99 gr', 'pl', 0.99, 'PLN'],
    ['99 gr', 'en', 99, null],
    ['99 bani', 'ro', 0.99, 'RON'],
    ['99 cts', 'fr', 0.99, null],
    ['50 Rappen', 'de-CH', 0.5, 'CHF'],
    ['50 Rp.', 'de-CH', 0.5, 'CHF'],
    ['50 Rp', 'id', 50, 'IDR'],
    ['50 ст.', 'bg', 0.5, 'BGN'],
    ['12 лв. 50 ст.', 'bg', 12.5, 'BGN'],
    ['99 senttiä', 'fi', 0.99, 'EUR'],
    ['50 אגורות', 'he', 0.5, 'ILS'],
    ['99 هللة', 'ar', 0.99, 'SAR'],
    ['99 sen', 'ms', 0.99, 'MYR'],
    ['99 коп.', 'uk', 0.99, 'UAH'],
    ['50 коп.', 'ru-BY', 0.5, 'BYN'],
    ['50 коп.', 'ru', 0.5, 'RUB'],
    ['NZD$15', 'en', 15, 'NZD'],
    ['12 $ US', 'fr-CA', 12, 'USD'],
    ['12 $US', 'fr-CA', 12, 'USD'],
    ['5 $ CAN', 'en', 5, 'CAD'],
    ['$5 (AUD)', 'en', 5, 'AUD'],
    ['5 $ (CAD)', 'de', 5, 'CAD'],
    ['£5 (EGP)', 'en', 5, 'EGP'],
    ['$5 Canadian', 'en', 5, 'CAD'],
    ['$5 Canadian bacon', 'en', 5, 'USD'],
    ['$5 (new)', 'en', 5, 'USD'],
    ['E£5', 'en', 5, 'EGP'],
    ['IR£5', 'en', 5, 'IEP'],
    ['BZ$5', 'en', 5, 'BZD'],
    ['Bds$5', 'en', 5, 'BBD'],
    ['FJ$5', 'en', 5, 'FJD'],
    ['GY$5', 'en', 5, 'GYD'],
    ['BD$5', 'en', 5, 'BMD'],
    ['B$5', 'en', 5, null],
    ['XX$5', 'en', 5, null],
    ['約$5', 'ja', 5, 'USD'],
    ['ab€5', 'de', 5, 'EUR'],
    ['SGD$30', 'en', 30, 'SGD'],
    ['5美元', 'zh', 5, 'USD'],
    ['5만원', 'ko', 50_000, 'KRW'],
    ['3,000万円', 'ja', 30_000_000, 'JPY'],
    ['￥1200', 'ja', 1200, 'JPY'],
    ['20 dólares', 'es', 20, 'USD'],
    ['20 usd', 'en', 20, 'USD'],
    ['5 Canadian dollars', 'en', 5, 'CAD'],
    ['5 dollars canadiens', 'fr', 5, 'CAD'],
    ['10 millones de dólares', 'es', 10_000_000, 'USD'],
    ['12 руб 50 коп', 'ru', 12.5, 'RUB'],
    ['nur -,79 €', 'de', 0.79, 'EUR'],
    ['€ -,99', 'nl', 0.99, 'EUR'],
    ['–,99 €', 'de', 0.99, 'EUR'],
    ['EUR --,99', 'de', 0.99, 'EUR'],
    ['(-,79 €/kg)', 'de', 0.79, 'EUR'],
    ['-,50 kr', 'sv', 0.5, 'SEK'],
    ['CHF -.95', 'de-CH', 0.95, 'CHF'],
    ['–.95 Fr.', 'de-CH', 0.95, 'CHF'],
    ['-.95 €', 'de', -0.95, 'EUR'],
    ['-$.95', 'en', -0.95, 'USD'],
    ['10–20 €', 'de', 10, 'EUR'],
    ['10–20 Tsd. €', 'de', 10_000, 'EUR'],
    ['$1-2M', 'en', 1_000_000, 'USD'],
    ['$1-$2M', 'en', 1_000_000, 'USD'],
    ['₹10-20 lakh', 'en-IN', 1_000_000, 'INR'],
    ['10至20元', 'zh', 10, 'CNY'],
    ['1〜2万円', 'ja', 10_000, 'JPY'],
    ['5千〜1万円', 'ja', 5000, 'JPY'],
    ['100-200만원', 'ko', 1_000_000, 'KRW'],
    ['10에서 20만원', 'ko', 100_000, 'KRW'],
    ['50-60¢', 'en-US', 0.5, 'USD'],
  ])('%s on a page in %s', (text, spoken, amount, currency) => {
    const reading = createMoneyReader()(text, { language: spoken, spoken });
    expect(reading).toMatchObject({ value: { amount, currency } });
  });
});
