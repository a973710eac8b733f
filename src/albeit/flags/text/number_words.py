"""Words that say a number, by language: units, tens, multipliers (*million*), and months.

They tell that a number of the other language is there, spelled out; they are never flagged
themselves, so a missing word costs a false alarm and a wrong one a missed fault. A word that
begins as an entry of ``SCALES`` does multiplies the number before it.
"""

from __future__ import annotations

from fractions import Fraction

__all__ = ["MONTHS", "SCALES", "SMALL", "scales", "small"]

_HALF, _QUARTER, _THIRD = Fraction(1, 2), Fraction(1, 4), Fraction(1, 3)


def _listed(words: str, first: int = 0, step: int = 1) -> dict[str, tuple[Fraction, ...]]:
    """Words in the order of their values; ``/`` stands between words of one value."""
    return {
        word: (Fraction(first + step * place),)
        for place, group in enumerate(words.split())
        for word in group.split("/")
    }


SMALL: dict[str, dict[str, tuple[Fraction, ...]]] = {
    "en": {
        **_listed(
            "zero/nil/none/no one/single/once/sole two/twice/both/pair/couple/double/second/twin/seconds three/thrice/triple/trio/treble"
            " four/quadruple/fourfold five six seven eight nine ten/decade/tenfold eleven twelve/dozen/dozens"
            " thirteen fourteen/fortnight fifteen sixteen seventeen eighteen nineteen"
        ),
        **_listed("twenty thirty forty/fourty fifty sixty seventy eighty ninety", 20, 10),
        **_listed("first", 1),
        **_listed(
            "third/thirds fourth/quarter/quarters fifth/fifths sixth/sixths seventh/sevenths eighth/eighths"
            " ninth/ninths tenth/tenths eleventh twelfth thirteenth fourteenth fifteenth sixteenth"
            " seventeenth eighteenth nineteenth twentieth",
            3,
        ),
        **_listed("thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth", 30, 10),
        **_listed("twenties thirties forties fifties sixties seventies eighties nineties", 20, 10),
        "half": (_HALF, Fraction(2), Fraction(50), Fraction(30), Fraction(6)),
        "quarter": (_QUARTER, Fraction(4), Fraction(25), Fraction(15), Fraction(3)),
        "third": (_THIRD, Fraction(3)),
        "hundredth": (Fraction(100),),
        "thousandth": (Fraction(1000),),
        "noon": (Fraction(12),),
        "midnight": (Fraction(0), Fraction(12), Fraction(24)),
        "century": (Fraction(100),),
        "centuries": (Fraction(100),),
        "centenary": (Fraction(100),),
        "centennial": (Fraction(100),),
        "bicentenary": (Fraction(200),),
        "bicentennial": (Fraction(200),),
        "millennium": (Fraction(1000),),
    },
    "de": {
        **_listed(
            "null/kein ein/eins/eine/einen/einem/einer/eines/erste/erster/ersten/erstes/erstem/einmal/erstmals"
            " zwei/beide/beiden/beider/zweite/zweiten/zweiter/zweites/zweitem/zweimal/paar/doppelt/zweien/verdoppelt/verdoppeln/zweit"
            " drei/dritte/dritten/dritter/drittes/dreimal/dreier/dreifache/drittel/dreifach vier/vierte/vierten/vierter/viertes/viermal/viertel"
            " fünf/fünfte/fünften/fünfter/fünftes/fünfmal/fünftel sechs/sechste/sechsten/sechster/sechsmal"
            " sieben/siebte/siebten/siebter acht/achte/achten/achter neun/neunte/neunten/neunter"
            " zehn/zehnte/zehnten/zehnter/zehntel/jahrzehnt/jahrzehnte elf/elfte/elften/elfter"
            " zwölf/dutzend/zwölfte/zwölften/mittag dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
        ),
        **_listed(
            "zwanzig/zwanziger dreißig/dreißiger/dreissig vierzig/vierziger fünfzig/fünfziger"
            " sechzig/sechziger siebzig/siebziger achtzig/achtziger neunzig/neunziger",
            20,
            10,
        ),
        "hälfte": (_HALF, Fraction(50)),
        "halb": (_HALF, Fraction(30)),
        "halbe": (_HALF, Fraction(6), Fraction(30)),
        "halbes": (_HALF, Fraction(6)),
        "halben": (_HALF, Fraction(6), Fraction(30)),
        "anderthalb": (Fraction(3, 2),),
        "eineinhalb": (Fraction(3, 2),),
        "zweieinhalb": (Fraction(5, 2),),
        "mitternacht": (Fraction(0), Fraction(24), Fraction(12)),
        "hundert": (Fraction(100),),
        "jahrhundert": (Fraction(100),),
        "tausend": (Fraction(1000),),
    },
    "fr": {
        **_listed(
            "zéro un/une/premier/première deux/second/seconde/deuxième/double trois/troisième/tiers/triple"
            " quatre/quatrième/quart cinq/cinquième six/sixième sept/septième huit/huitième neuf/neuvième"
            " dix/dixième/décennie/dizaine onze douze/douzaine/midi treize quatorze quinze/quinzaine seize"
        ),
        **_listed("vingt/vingtaine trente/trentaine quarante cinquante soixante", 20, 10),
        "minuit": (Fraction(0), Fraction(24)),
        "cent": (Fraction(100),),
        "moitié": (_HALF, Fraction(50)),
        "demi": (_HALF, Fraction(30)),
        "siècle": (Fraction(100),),
        "mille": (Fraction(1000),),
    },
    "es": {
        **_listed(
            "cero un/uno/una/primer/primero/primera dos/segundo/segunda/doble/ambos/ambas/par"
            " tres/tercer/tercero/tercera/triple/tercio/tercios cuatro/cuarto/cuarta cinco/quinto/quinta seis/sexto/sexta"
            " siete/séptimo/séptima ocho/octavo/octava nueve/noveno/novena diez/décimo/décima/década/decena"
            " once doce/docena/mediodía trece catorce quince/quincena dieciséis diecisiete dieciocho diecinueve"
        ),
        **_listed("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa", 20, 10),
        "medianoche": (Fraction(0), Fraction(24)),
        "cien": (Fraction(100),),
        "ciento": (Fraction(100),),
        "mitad": (_HALF, Fraction(50)),
        "medio": (_HALF, Fraction(30)),
        "media": (_HALF, Fraction(30)),
        "siglo": (Fraction(100),),
    },
    "it": {
        **_listed(
            "zero un/uno/una/primo/prima due/secondo/seconda/doppio/entrambi/entrambe/paio tre/terzo/terza/triplo"
            " quattro/quarto/quarta cinque/quinto/quinta sei/sesto/sesta sette/settimo/settima otto/ottavo/ottava"
            " nove/nono/nona dieci/decimo/decima/decennio/decina undici dodici/dozzina/mezzogiorno tredici"
            " quattordici quindici sedici diciassette diciotto diciannove"
        ),
        **_listed("venti trenta quaranta cinquanta sessanta settanta ottanta novanta", 20, 10),
        "metà": (_HALF, Fraction(50)),
        "mezzo": (_HALF, Fraction(30)),
        "mezza": (_HALF, Fraction(30)),
        "cento": (Fraction(100),),
        "mille": (Fraction(1000),),
    },
    "pt": {
        **_listed(
            "zero um/uma/primeiro/primeira dois/duas/segundo/segunda/ambos/ambas/dobro três/terceiro/terceira"
            " quatro/quarto/quarta cinco/quinto/quinta seis/sexto/sexta sete/sétimo/sétima oito/oitavo/oitava"
            " nove/nono/nona dez/décimo/década onze doze/dúzia treze catorze/quatorze quinze dezesseis/dezasseis"
            " dezessete/dezassete dezoito dezenove/dezanove"
        ),
        **_listed("vinte trinta quarenta cinquenta sessenta setenta oitenta noventa", 20, 10),
        "metade": (_HALF, Fraction(50)),
        "meio": (_HALF, Fraction(30)),
        "meia": (_HALF, Fraction(30)),
        "cem": (Fraction(100),),
        "cento": (Fraction(100),),
    },
    "nl": {
        **_listed(
            "nul een/één/eerste twee/tweede/beide/dubbel drie/derde vier/vierde vijf/vijfde zes/zesde zeven/zevende"
            " acht/achtste negen/negende tien/tiende/decennium elf/elfde twaalf/twaalfde/dozijn dertien veertien"
            " vijftien zestien zeventien achttien negentien"
        ),
        **_listed("twintig dertig veertig vijftig zestig zeventig tachtig negentig", 20, 10),
        "helft": (_HALF, Fraction(50)),
        "half": (_HALF, Fraction(30)),
        "honderd": (Fraction(100),),
        "duizend": (Fraction(1000),),
    },
    "ru": {
        **_listed(
            "ноль один/одна/одно/одного/одной/первый/первая/первое/первого/первой/первом два/две/двух/двум/двое/второй/вторая/второе/второго/второй/оба/обе/вдвое/пара"
            " три/трех/трёх/трем/трое/третий/третья/третье/третьего/треть четыре/четырех/четырёх/четвертый/четвертого/четверть/четверо"
            " пять/пяти/пятый/пятого/пятеро шесть/шести/шестой/шестого семь/семи/седьмой восемь/восьми/восьмой"
            " девять/девяти/девятый десять/десяти/десятый/десятилетие/десяток одиннадцать двенадцать/дюжина тринадцать"
            " четырнадцать пятнадцать шестнадцать семнадцать восемнадцать девятнадцать"
        ),
        **_listed(
            "двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто", 20, 10
        ),
        "половина": (_HALF, Fraction(50)),
        "половины": (_HALF, Fraction(50)),
        "полтора": (Fraction(3, 2),),
        "сто": (Fraction(100),),
        "тысяча": (Fraction(1000),),
        "сутки": (Fraction(24),),
        "суток": (Fraction(24),),
    },
    "cs": {
        **_listed(
            "nula jeden/jedna/jedno/jednoho/první/prvního dva/dvě/dvou/druhý/druhá/druhé/druhého/oba/obě"
            " tři/tří/třetí/třetina čtyři/čtyř/čtvrtý/čtvrtá/čtvrtina pět/pěti/pátý/pátá šest/šesti/šestý sedm/sedmi/sedmý"
            " osm/osmi/osmý devět/devíti/devátý deset/deseti/desátý/desetiletí jedenáct dvanáct/tucet/poledne"
            " třináct čtrnáct patnáct šestnáct sedmnáct osmnáct devatenáct"
        ),
        **_listed("dvacet třicet čtyřicet padesát šedesát sedmdesát osmdesát devadesát", 20, 10),
        "polovina": (_HALF, Fraction(50)),
        "polovinu": (_HALF, Fraction(50)),
        "půl": (_HALF, Fraction(30)),
        "sto": (Fraction(100),),
        "tisíc": (Fraction(1000),),
    },
    "pl": {
        **_listed(
            "zero jeden/jedna/jedno/jednego/pierwszy/pierwsza/pierwsze dwa/dwie/dwóch/dwoje/drugi/druga/drugie/obie/oba"
            " trzy/trzech/trzeci/trzecia cztery/czterech/czwarty/czwarta pięć/pięciu/piąty sześć/sześciu/szósty"
            " siedem/siedmiu/siódmy osiem/ośmiu/ósmy dziewięć/dziewięciu/dziewiąty dziesięć/dziesięciu/dziesiąty/dekada"
            " jedenaście dwanaście/tuzin trzynaście czternaście piętnaście szesnaście siedemnaście osiemnaście dziewiętnaście"
        ),
        **_listed(
            "dwadzieścia trzydzieści czterdzieści pięćdziesiąt sześćdziesiąt siedemdziesiąt"
            " osiemdziesiąt dziewięćdziesiąt",
            20,
            10,
        ),
        "połowa": (_HALF, Fraction(50)),
        "pół": (_HALF, Fraction(30)),
        "sto": (Fraction(100),),
        "tysiąc": (Fraction(1000),),
    },
    "tr": {
        **_listed(
            "sıfır bir/birinci/ilk iki/ikinci üç/üçüncü dört/dördüncü beş/beşinci altı/altıncı yedi/yedinci"
            " sekiz/sekizinci dokuz/dokuzuncu on/onuncu"
        ),
        **_listed("yirmi otuz kırk elli altmış yetmiş seksen doksan", 20, 10),
        "yarım": (_HALF,),
        "yarısı": (_HALF, Fraction(50)),
        "yüz": (Fraction(100),),
        "bin": (Fraction(1000),),
    },
}
"""Words of one number; *half* and *quarter* say several (of an hour, of a year, per cent)."""

_M, _G, _T = 10**6, 10**9, 10**12
SCALES: dict[str, dict[str, int]] = {
    "en": {
        "hundred": 100,
        "thousand million": _G,
        "thousand": 1000,
        "million": _M,
        "billion": _G,
        "trillion": _T,
        "lakh": 10**5,
        "crore": 10**7,
        "dozen": 12,
        "k=": 1000,
        "m=": _M,
        "mn=": _M,
        "mln": _M,
        "bn=": _G,
        "b=": _G,
        "tn=": _T,
    },
    "de": {
        "hundert": 100,
        "tausend": 1000,
        "tsd": 1000,
        "million": _M,
        "mio": _M,
        "milliard": _G,
        "mrd": _G,
        "billion": _T,
        "dutzend": 12,
    },
    "fr": {"cent": 100, "mille": 1000, "milliard": _G, "million": _M, "billion": _T, "m=": _M},
    "es": {
        "cient": 100,
        "mil millones": _G,
        "miles de millones": _G,
        "mil=": 1000,
        "miles": 1000,
        "millón": _M,
        "millon": _M,
        "billón": _T,
        "billones": _T,
    },
    "it": {"mila": 1000, "mille": 1000, "milion": _M, "miliard": _G, "bilion": _T},
    "pt": {
        "mil milhões": _G,
        "mil=": 1000,
        "milh": _M,
        "bilh": _G,
        "bili": _G,
        "trilh": _T,
    },
    "nl": {"honderd": 100, "duizend": 1000, "miljoen": _M, "mln": _M, "miljard": _G, "mld": _G},
    "cs": {"tisíc": 1000, "tis=": 1000, "milion": _M, "milión": _M, "mil=": _M, "mili": _G},
    "pl": {"tysi": 1000, "tys=": 1000, "milion": _M, "mln": _M, "miliard": _G, "mld": _G},
    "ru": {
        "тыс": 1000,
        "миллион": _M,
        "млн": _M,
        "миллиард": _G,
        "млрд": _G,
        "триллион": _T,
        "трлн": _T,
    },
    "tr": {"bin=": 1000, "milyon": _M, "milyar": _G, "trilyon": _T},
    "ar": {"ألف": 1000, "آلاف": 1000, "مليون": _M, "ملايين": _M, "مليار": _G, "تريليون": _T},
    "is": {"þúsund": 1000, "milljón": _M, "milljarð": _G},
    "th": {"พันล้าน": _G, "ล้านล้าน": _T, "ล้าน": _M, "แสน": 10**5, "หมื่น": 10**4, "พัน": 1000},
}
"""Multipliers; one that ends in ``=`` must be the whole word."""

MONTHS: dict[str, str] = {
    "en": "january/jan february/feb march/mar april/apr may june/jun july/jul august/aug"
    " september/sep/sept october/oct november/nov december/dec",
    "de": "januar/jänner februar märz april mai juni juli august september oktober november dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "ru": "января/январь/январе февраля/февраль/феврале марта/март/марте апреля/апрель/апреле"
    " мая/май/мае июня/июнь/июне июля/июль/июле августа/август/августе сентября/сентябрь/сентябре"
    " октября/октябрь/октябре ноября/ноябрь/ноябре декабря/декабрь/декабре",
    "cs": "ledna/leden/lednu února/únor/únoru března/březen/březnu dubna/duben/dubnu května/květen/květnu"
    " června/červen/červnu července/červenec/červenci srpna/srpen/srpnu září října/říjen/říjnu"
    " listopadu/listopad prosince/prosinec/prosinci",
    "pl": "stycznia/styczeń lutego/luty marca/marzec kwietnia/kwiecień maja/maj czerwca/czerwiec"
    " lipca/lipiec sierpnia/sierpień września/wrzesień października/październik listopada/listopad"
    " grudnia/grudzień",
}


def small(lang: str | None) -> dict[str, tuple[Fraction, ...]]:
    """Number words and months of a language; of all where it is not known."""
    known = [lang] if lang is not None else list(SMALL)
    found: dict[str, tuple[Fraction, ...]] = {}
    for each in known:
        for word, values in {
            **_listed(MONTHS.get(each, ""), 1),
            **SMALL.get(each, {}),
        }.items():
            found[word] = found.get(word, ()) + values
    return found


def scales(lang: str | None) -> dict[str, int]:
    """Multipliers of a language; of all where it is not known, English first."""
    if lang is not None:
        return SCALES.get(lang, {})
    return {k: v for each in reversed(SCALES.values()) for k, v in each.items()}
