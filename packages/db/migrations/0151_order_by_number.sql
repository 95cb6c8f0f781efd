-- Texts as people order them: /p/2 before /p/10. A Postgres without ICU orders them by their bytes.
DO $$
BEGIN
  CREATE COLLATION gleaner.by_number (provider = icu, locale = 'und-u-kn-true');
EXCEPTION WHEN feature_not_supported OR invalid_parameter_value THEN
  CREATE COLLATION gleaner.by_number FROM "C";
END $$;
