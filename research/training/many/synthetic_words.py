"""Antonyms and negations for synthetic errors in other languages than English.

The minimal pairs that test `judge-many` (`minimal_pairs.tsv`) use none of these words.
"""

from __future__ import annotations


def _pairs(text: str) -> dict[str, list[str]]:
    """Each word with its opposite, both ways."""
    found: dict[str, list[str]] = {}
    for pair in text.split():
        one, other = pair.split("/")
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return found


def _phrases(text: str) -> dict[str, list[str]]:
    """Phrases with their replacement, one way: `old > new; old > new`."""
    found: dict[str, list[str]] = {}
    for pair in text.split(";"):
        old, new = pair.split(">")
        found.setdefault(old.strip(), []).append(new.strip())
    return found


ANTONYMS: dict[str, dict[str, list[str]]] = {
    "de": _pairs(
        """
        groß/klein große/kleine großen/kleinen größer/kleiner größte/kleinste alt/neu alte/neue
        alten/neuen hoch/niedrig hohe/niedrige hohen/niedrigen höher/niedriger gut/schlecht
        gute/schlechte guten/schlechten besser/schlechter stark/schwach starke/schwache stieg/fiel
        steigt/sinkt steigen/sinken gestiegen/gesunken gewann/verlor gewonnen/verloren mehr/weniger
        früher/später vor/nach mit/ohne immer/nie viele/wenige vielen/wenigen Sieg/Niederlage
        Krieg/Frieden Freund/Feind schnell/langsam warm/kalt reich/arm reiche/arme legal/illegal
        möglich/unmöglich innen/außen kaufen/verkaufen kaufte/verkaufte links/rechts
        positiv/negativ positive/negative sicher/unsicher Anfang/Ende beginnt/endet begann/endete
        """
    ),
    "fr": _pairs(
        """
        grand/petit grande/petite grands/petits grandes/petites haut/bas haute/basse nouveau/ancien
        nouvelle/ancienne nouveaux/anciens bon/mauvais bonne/mauvaise meilleur/pire fort/faible
        forte/faible plus/moins avant/après avec/sans toujours/jamais premier/dernier
        première/dernière victoire/défaite guerre/paix ami/ennemi riche/pauvre riches/pauvres
        légal/illégal possible/impossible intérieur/extérieur acheter/vendre acheté/vendu
        gauche/droite positif/négatif début/fin commence/finit augmentation/diminution
        augmenter/diminuer augmenté/diminué augmente/diminue gagné/perdu chaud/froid jeune/vieux
        rapide/lent facile/difficile beaucoup/peu nord/sud
        """
    ),
    "es": _pairs(
        """
        grande/pequeño grandes/pequeños alto/bajo alta/baja nuevo/viejo nueva/vieja bueno/malo
        buena/mala mejor/peor fuerte/débil fuertes/débiles más/menos antes/después con/sin
        siempre/nunca primero/último primera/última victoria/derrota guerra/paz amigo/enemigo
        rico/pobre ricos/pobres legal/ilegal posible/imposible interior/exterior comprar/vender
        izquierda/derecha positivo/negativo principio/fin comienza/termina aumento/descenso
        aumentar/disminuir aumentó/disminuyó ganó/perdió caliente/frío joven/viejo rápido/lento
        fácil/difícil muchos/pocos muchas/pocas norte/sur dentro/fuera
        """
    ),
    "ru": _pairs(
        """
        большой/маленький большая/маленькая большие/маленькие высокий/низкий высокая/низкая
        новый/старый новая/старая новые/старые хороший/плохой хорошая/плохая лучше/хуже
        сильный/слабый сильная/слабая больше/меньше до/после с/без всегда/никогда первый/последний
        первая/последняя победа/поражение война/мир друг/враг богатый/бедный законный/незаконный
        возможно/невозможно внутри/снаружи купить/продать купил/продал левый/правый
        положительный/отрицательный начало/конец рост/падение вырос/упал выросла/упала
        увеличить/уменьшить увеличилось/уменьшилось выиграл/проиграл тёплый/холодный быстро/медленно
        легко/трудно много/мало север/юг ранний/поздний
        """
    ),
    "zh": _pairs(
        """
        增加/减少 上升/下降 提高/降低 成功/失败 胜利/失败 战争/和平 朋友/敌人 合法/非法
        之前/之后 以前/以后 最大/最小 最高/最低 更多/更少 强大/弱小 富裕/贫穷 买入/卖出 进口/出口
        支持/反对 允许/禁止 同意/反对 开始/结束 积极/消极 安全/危险 容易/困难 快速/缓慢 北部/南部
        东部/西部 男性/女性 白天/夜晚 内部/外部 多数/少数
        """
    ),
}
NEGATIONS: dict[str, dict[str, list[str]]] = {
    "de": _phrases(
        "ist > ist nicht; sind > sind nicht; war > war nicht; waren > waren nicht; kann > kann nicht;"
        "wird > wird nicht; wurde > wurde nicht; hat > hat nicht; haben > haben nicht;"
        "kein > ein; keine > eine; keinen > einen; keiner > einer; nicht mehr > noch immer;"
        "ist nicht > ist; sind nicht > sind; war nicht > war; kann nicht > kann; wird nicht > wird"
    ),
    "fr": _phrases(
        "est > n'est pas; sont > ne sont pas; était > n'était pas; peut > ne peut pas;"
        "sera > ne sera pas; ont > n'ont pas; doit > ne doit pas; étaient > n'étaient pas;"
        "n'est pas > est; ne sont pas > sont; ne peut pas > peut; n'a pas > a; n'ont pas > ont"
    ),
    "es": _phrases(
        "es > no es; son > no son; fue > no fue; está > no está; puede > no puede; ha > no ha;"
        "tiene > no tiene; era > no era; han > no han; no es > es; no son > son; no puede > puede;"
        "no ha > ha; no tiene > tiene; no está > está; no fue > fue"
    ),
    "ru": _phrases(
        "может > не может; был > не был; была > не была; были > не были; будет > не будет;"
        "является > не является; имеет > не имеет; должен > не должен; могут > не могут;"
        "не может > может; не был > был; не будет > будет; не является > является;"
        "не могут > могут; не должен > должен"
    ),
    "zh": _phrases(
        "不是 > 是; 不能 > 能; 没有 > 有; 不会 > 会; 可以 > 不可以; 能够 > 不能够; 将会 > 将不会;"
        "不可 > 可; 并未 > 已经; 应该 > 不应该; 已经 > 尚未"
    ),
}
