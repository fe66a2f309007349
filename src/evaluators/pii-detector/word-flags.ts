/**
 * The properties of a word, as bits. The first eight come with the name model (lists of names, places and ordinary
 * words); the others are the keywords below, which say what the numbers and words near them are about.
 */
export const FLAG = {
  given: 1 << 0,
  givenFrequent: 1 << 1,
  surname: 1 << 2,
  surnameFrequent: 1 << 3,
  place: 1 << 4,
  common: 1 << 5,
  dictionary: 1 << 6,
  country: 1 << 7,
  street: 1 << 8,
  unit: 1 << 9,
  phone: 1 << 10,
  card: 1 << 11,
  social: 1 << 12,
  nationalId: 1 << 13,
  passport: 1 << 14,
  licence: 1 << 15,
  ip: 1 << 16,
  version: 1 << 17,
  address: 1 << 18,
  title: 1 << 19,
  naming: 1 << 20,
  organisation: 1 << 21,
  otherNumber: 1 << 22,
  vehicle: 1 << 23,
  bank: 1 << 24,
  postcode: 1 << 25,
  capitalised: 1 << 26,
  german: 1 << 27,
} as const

type Keyword = Exclude<
  keyof typeof FLAG,
  'given' | 'givenFrequent' | 'surname' | 'surnameFrequent' | 'place' | 'common' | 'dictionary' | 'country'
>

/** Keywords in lower case and without accents, as words are looked up. */
export const KEYWORDS: Readonly<Record<Keyword, string>> = {
  street: `street st str road rd avenue ave av lane ln drive boulevard blvd court ct square sq terrace crescent highway hwy
    parkway pkwy alley esplanade quay plaza circle cir trail rue chemin impasse allee boulevard quai cours via viale corso
    piazza vicolo calle avenida avda paseo plaza carrer rua travessa largo praca alameda rodovia strasse gasse weg platz
    ulica ul aleja osiedle plac utca ut utja ter krt korut namesti ulice trida ulitsa prospekt pereulok straat laan plein gata
    gatan gade vej vejen vagen veien vegen katu tie sokak caddesi cadde mahallesi odos leoforos jalan marg nagar stravenue
    u rakpart gardens mews grove strada bulevardul soseaua trg cesta`,
  unit: 'apt apartment suite ste flat unit box floor apto piso dpto appartement wohnung etage pmb psc bte',
  phone: `phone telephone tel mobile cell cellphone fax call calls called calling dial ring reach sms whatsapp text contact
    hotline handy telefon telefono telefone movil celular portable mobil mobiel gsm answering voicemail landline callback
    telephoner appeler rufen llamar ligar numer numero nummer ph phones tlf puhelin telefoonnummer telefonnummer ext extension
    signal viber telegram office appelle appelez ruf anrufen llamame llame bel chiama chiamami zadzwon`,
  card: `card cards visa mastercard amex maestro credit debit cc pan carte karte kreditkarte tarjeta cartao carta discover
    karta kaart`,
  social: 'ssn social itin sozialversicherung taxpayer',
  nationalId: `nhs aadhaar aadhar uidai pesel dni nif nie bsn sofinummer sin cpf cnpj tfn abn nino nir insee codice fiscale
    personnummer henkilotunnus cpr fodselsnummer ahv avs nric fin curp rfc tckn kimlik identity identification national
    identitetsnummer burgerservicenummer identidad identidade identite ausweis personalausweis steuer steuernummer
    tax insurance ni medicare patient ssin rijksregisternummer rrn hkid emirates cnic cedula rut cuil cuit ssnit
    sozialversicherungsnummer versicherungsnummer securite insee dowod`,
  passport:
    'passport passports passeport pasaporte passaporto passaporte reisepass paspoort paszport passnummer pass',
  licence: `license licence licenses licences dl permis fuhrerschein fuhrerscheinnummer patente rijbewijs conducir cnh korkort
    kjorekort driver drivers driving`,
  ip: 'ip ipv4 ipv6 host server client remote login logged subnet gateway dns ping firewall peer',
  version: `version versions v release build upgrade update firmware driver kernel chrome firefox safari node python java
    php openssl nginx django rails section chapter clause figure table step rev revision changelog package`,
  address: `address addresses adresse adres adresa direccion endereco indirizzo adress residence lives live living resides
    residing residence wohnt wohne habite vive vivo mieszka mieszkam bor located ship shipped shipping deliver delivered
    delivery mail mailed billing home send sent postal taxi adresi osoite cim moved domicilio anschrift wohnhaft lieferadresse rechnungsadresse lieferanschrift`,
  title: `mr mrs ms miss dr prof professor sir madam dame lord lady mme mlle monsieur madame herr frau sr sra srta senor
    senora don dona signor signora sig dott dhr mevr pan pani rev reverend captain capt sgt lt col fr sis hon mx messrs`,
  naming: `name named names called calls nom nombre nome naam imie nazwisko nazywam surname lastname firstname fullname nickname
    maiden alias vorname nachname prenom apellido apellidos cognome sobrenome apelido nazwa namn navn nimi regards sincerely
    cheers thanks dear hi hello hey hallo hola bonjour ciao ola liebe lieber cher chere estimado estimada caro cara drogi
    signed sender recipient beneficiary holder cardholder attn customer client patient employee user contact guardian heisse
    llamo appelle chiamo`,
  organisation: `inc ltd llc corp corporation company co plc gmbh ag sa bv nv group holdings bank university college school institute
    foundation association technologies systems solutions services partners labs studios insurance hospital ministry
    department agency airport airlines hotel museum church stadium records club society council committee union party
    limited incorporated software media press`,
  otherNumber: `order orders invoice ticket tracking reference ref isbn issn sku serial transaction txn case confirmation booking
    part model item lot batch commit build id uuid hash checksum error code pid port line page product quantity qty total
    amount price parcel shipment reservation po issue bug request doi pmid ean upc gtin barcode bestellung bestellnummer
    rechnung rechnungsnummer auftrag commande facture pedido factura ordine fattura zamowienie points population`,
  vehicle: 'vin vehicle chassis car fahrgestellnummer',
  bank: 'iban account bank konto compte cuenta conta rekening swift bic transfer sort',
  postcode: 'zip zipcode postcode postal plz eircode cep postleitzahl cap pincode',
  capitalised: `january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday christmas easter english french german spanish italian portuguese dutch belgian swiss
    austrian polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish
    icelandic irish scottish welsh british american canadian mexican brazilian argentine chilean colombian peruvian cuban
    chinese japanese korean vietnamese thai indonesian malaysian filipino indian pakistani bengali hindi urdu tamil persian
    iranian iraqi arabic arab hebrew jewish israeli egyptian moroccan nigerian kenyan ethiopian african european asian latin
    australian christian muslim catholic protestant orthodox buddhist hindu islamic buddhism hinduism islam christianity
    judaism deutsch englisch`,
  // German writes every noun with a capital, so a capital says little there.
  german:
    'der die das und ist ich nicht ein eine einen einer mit sie wie auf von zu den dem wer ihr bitte fur im zum zur des auch',
}
