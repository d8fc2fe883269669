"""Time zones of well-known cities, by their names in English and Korean.

Cities after which a zone is named in the IANA database (Seoul, Tokyo, New York) need no line in
`CITIES_BY_ZONE` for their English name; `time_zones` finds them by themselves.
"""

from collections.abc import Mapping

__all__ = ["CITIES_BY_ZONE"]

CITIES_BY_ZONE: Mapping[str, str] = {
    "UTC": "협정 세계시, 세계 표준시",
    "Africa/Cairo": "카이로",
    "Africa/Casablanca": "카사블랑카",
    "Africa/Johannesburg": "Cape Town, Pretoria, Durban, 요하네스버그, 케이프타운",
    "Africa/Lagos": "Abuja, 라고스",
    "Africa/Nairobi": "나이로비",
    "America/Argentina/Buenos_Aires": "부에노스아이레스",
    "America/Bogota": "Bogotá, 보고타",
    "America/Chicago": "Houston, Dallas, Austin, San Antonio, Minneapolis, "
    "시카고, 휴스턴, 댈러스, 오스틴",
    "America/Denver": "Salt Lake City, Boulder, 덴버",
    "America/Halifax": "핼리팩스",
    "America/Havana": "아바나",
    "America/Lima": "리마",
    "America/Los_Angeles": "San Francisco, San Diego, San Jose, Seattle, Las Vegas, Portland, "
    "Silicon Valley, LA, 로스앤젤레스, 샌프란시스코, 샌디에이고, 시애틀, 라스베이거스, 실리콘밸리",
    "America/Mexico_City": "멕시코시티",
    "America/New_York": "Boston, Washington, Washington DC, Philadelphia, Atlanta, Miami, NYC, "
    "뉴욕, 보스턴, 워싱턴, 필라델피아, 애틀랜타, 마이애미",
    "America/Phoenix": "피닉스",
    "America/Santiago": "산티아고",
    "America/Sao_Paulo": "São Paulo, Rio de Janeiro, Brasília, 상파울루, 리우데자네이루",
    "America/Toronto": "Montreal, Ottawa, Quebec, 토론토, 몬트리올, 오타와",
    "America/Vancouver": "밴쿠버",
    "Asia/Baghdad": "바그다드",
    "Asia/Bangkok": "방콕",
    "Asia/Beirut": "베이루트",
    "Asia/Dhaka": "다카",
    "Asia/Dubai": "Abu Dhabi, 두바이, 아부다비",
    "Asia/Ho_Chi_Minh": "Hanoi, Saigon, Da Nang, 호찌민, 호치민, 하노이, 다낭",
    "Asia/Hong_Kong": "홍콩",
    "Asia/Jakarta": "자카르타",
    "Asia/Jerusalem": "Tel Aviv, 예루살렘, 텔아비브",
    "Asia/Karachi": "Islamabad, Lahore, 카라치",
    "Asia/Kathmandu": "카트만두",
    "Asia/Kolkata": "Mumbai, Delhi, New Delhi, Bangalore, Bengaluru, Chennai, Hyderabad, "
    "뭄바이, 델리, 뉴델리, 벵갈루루, 콜카타",
    "Asia/Kuala_Lumpur": "쿠알라룸푸르",
    "Asia/Manila": "Cebu, 마닐라, 세부",
    "Asia/Pyongyang": "평양",
    "Asia/Riyadh": "Mecca, 리야드",
    "Asia/Seoul": "Busan, Incheon, Daegu, Daejeon, Gwangju, Ulsan, Suwon, Sejong, Jeju, "
    "서울, 부산, 인천, 대구, 대전, 광주, 울산, 수원, 세종, 제주, 판교",
    "Asia/Shanghai": "Beijing, Shenzhen, Guangzhou, Hangzhou, Chengdu, "
    "상하이, 베이징, 북경, 상해, 선전, 광저우, 항저우",
    "Asia/Singapore": "싱가포르, 싱가폴",
    "Asia/Taipei": "타이베이, 타이페이",
    "Asia/Tehran": "테헤란",
    "Asia/Tokyo": "Osaka, Kyoto, Nagoya, Fukuoka, Sapporo, Yokohama, "
    "도쿄, 동경, 오사카, 교토, 나고야, 후쿠오카, 삿포로, 요코하마",
    "Asia/Ulaanbaatar": "Ulan Bator, 울란바토르",
    "Atlantic/Reykjavik": "레이캬비크",
    "Australia/Brisbane": "Gold Coast, 브리즈번",
    "Australia/Melbourne": "멜버른",
    "Australia/Perth": "퍼스",
    "Australia/Sydney": "Canberra, 시드니, 캔버라",
    "Europe/Amsterdam": "Rotterdam, The Hague, 암스테르담",
    "Europe/Athens": "아테네",
    "Europe/Belgrade": "베오그라드",
    "Europe/Berlin": "Munich, Frankfurt, Hamburg, Cologne, Stuttgart, "
    "베를린, 뮌헨, 프랑크푸르트, 함부르크",
    "Europe/Brussels": "브뤼셀",
    "Europe/Bucharest": "부쿠레슈티",
    "Europe/Budapest": "부다페스트",
    "Europe/Copenhagen": "코펜하겐",
    "Europe/Dublin": "더블린",
    "Europe/Helsinki": "헬싱키",
    "Europe/Istanbul": "Ankara, 이스탄불, 앙카라",
    "Europe/Kyiv": "Kiev, 키이우, 키예프",
    "Europe/Lisbon": "Porto, 리스본",
    "Europe/London": "Manchester, Edinburgh, Oxford, Cambridge, 런던, 맨체스터, 에든버러",
    "Europe/Madrid": "Barcelona, Seville, Valencia, 마드리드, 바르셀로나",
    "Europe/Moscow": "Saint Petersburg, St. Petersburg, 모스크바",
    "Europe/Oslo": "오슬로",
    "Europe/Paris": "Lyon, Marseille, Nice, 파리, 리옹",
    "Europe/Prague": "프라하",
    "Europe/Rome": "Milan, Venice, Florence, Naples, 로마, 밀라노, 베네치아",
    "Europe/Stockholm": "스톡홀름",
    "Europe/Vienna": "빈, 비엔나",
    "Europe/Warsaw": "Krakow, 바르샤바",
    "Europe/Zurich": "Zürich, Geneva, Basel, Bern, 취리히, 제네바",
    "Pacific/Auckland": "Wellington, 오클랜드",
    "Pacific/Honolulu": "Hawaii, 호놀룰루, 하와이",
}
"""Names that the IANA database lacks, comma-separated, per zone."""
